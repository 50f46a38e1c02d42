# frozen_string_literal: true

require 'test_helper'

class PointsAndVectorsTest < BridgeTest
  def test_coordinates_of_points_are_lengths_and_of_vectors_floats
    assert_instance_of Length, Geom::Point3d.new(1, 2, 3).x
    assert_instance_of Length, Geom::Point3d.new(1, 2, 3).to_a.last
    assert_instance_of Float, Geom::Vector3d.new(1, 2, 3).x
    assert_instance_of Length, Geom::Vector3d.new(3, 4, 0).length
    assert_instance_of Length, ORIGIN.distance([3, 4, 0])
  end

  def test_points_are_made_of_numbers_arrays_and_points
    expected = Geom::Point3d.new(1, 2, 3)

    assert_equal expected, Geom::Point3d.new([1, 2, 3])
    assert_equal expected, Geom::Point3d.new(expected)
    assert_equal ORIGIN, Geom::Point3d.new
    assert_raises(ArgumentError) { Geom::Point3d.new('1', 2, 3) }
    assert_raises(ArgumentError) { Geom::Point3d.new([1]) }
  end

  def test_points_are_equal_within_tolerance
    assert_equal Geom::Point3d.new(0, 0, 0.0009), ORIGIN
    refute_equal Geom::Point3d.new(0, 0, 0.0011), ORIGIN
  end

  def test_the_difference_of_points_is_a_vector
    difference = Geom::Point3d.new(3, 2, 1) - Geom::Point3d.new(1, 1, 1)

    assert_instance_of Geom::Vector3d, difference
    assert_equal [2.0, 1.0, 0.0], difference.to_a
    assert_equal Geom::Point3d.new(3, 2, 1), Geom::Point3d.new(1, 1, 1).offset(difference)
    assert_equal Geom::Point3d.new(5, 0, 0), ORIGIN.offset(X_AXIS, 5)
  end

  def test_a_copy_of_a_point_goes_its_own_way
    point = Geom::Point3d.new(1, 2, 3)
    copy = point.clone
    copy.x = 9

    assert_equal 1.0, point.x.to_f
    assert_equal 9.0, copy.x.to_f
  end

  def test_a_point_falls_square_onto_a_plane
    assert_equal Geom::Point3d.new(1, 2, 5), Geom::Point3d.new(1, 2, 9).project_to_plane([[0, 0, 5], Z_AXIS])
    assert_equal Geom::Point3d.new(1, 2, 5), Geom::Point3d.new(1, 2, 9).project_to_plane([0, 0, 2, -10])
    assert_in_delta 4.0, Geom::Point3d.new(1, 2, 9).distance_to_plane([[0, 0, 5], Z_AXIS]), 1e-12
    assert Geom::Point3d.new(4, 0, 0).on_line?([ORIGIN, X_AXIS])
  end

  def test_products_of_vectors
    assert_equal Z_AXIS, X_AXIS * Y_AXIS
    assert_equal Z_AXIS, X_AXIS.cross(Y_AXIS)
    assert_in_delta 32.0, Geom::Vector3d.new(1, 2, 3) % Geom::Vector3d.new(4, 5, 6), 1e-12
  end

  def test_directions_of_vectors_are_compared_by_angle
    assert X_AXIS.parallel?(X_AXIS.reverse)
    refute X_AXIS.samedirection?(X_AXIS.reverse)
    assert X_AXIS.perpendicular?([0, 5, 5])
    assert_in_delta Math::PI / 4, X_AXIS.angle_between([1, 1, 0]), 1e-12
  end

  def test_a_vector_can_be_given_a_length
    vector = Geom::Vector3d.new(3, 4, 0)
    vector.length = 10

    assert_equal [6.0, 8.0, 0.0], vector.to_a
    assert_in_delta 1.0, vector.normalize.length.to_f, 1e-12
  end

  def test_moving_turns_points_but_only_turning_turns_vectors
    moved = Geom::Transformation.translation([1, 2, 3])

    assert_equal Geom::Point3d.new(1, 2, 3), ORIGIN.transform(moved)
    assert_equal X_AXIS, X_AXIS.transform(moved)
  end
end
