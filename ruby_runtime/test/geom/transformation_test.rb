# frozen_string_literal: true

require 'test_helper'

class TransformationTest < BridgeTest
  def test_translation_stands_in_the_fourth_column
    assert_equal [1.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 7, 8, 9, 1], Geom::Transformation.new([7, 8, 9]).to_a
  end

  def test_a_uniform_scale_hides_in_the_last_element
    matrix = Geom::Transformation.scaling(4).to_a

    assert_equal 1.0, matrix[0]
    assert_equal 0.25, matrix[15]
    assert_equal [4.0, 0.0, 0.0], Geom::Transformation.scaling(4).xaxis.to_a
    assert_equal matrix, Geom::Transformation.new(4).to_a
  end

  def test_scaling_about_a_point_leaves_the_point
    [[2], [2, 3, 4]].each do |factors|
      scaling = Geom::Transformation.scaling(Geom::Point3d.new(1, 1, 1), *factors)

      assert_equal Geom::Point3d.new(1, 1, 1), Geom::Point3d.new(1, 1, 1).transform(scaling)
      assert_equal 3.0, Geom::Point3d.new(2, 1, 1).transform(scaling).x.to_f
    end
  end

  def test_the_origin_accounts_for_a_scale_in_the_last_element
    placed = Geom::Transformation.translation([5, 0, 0]) * Geom::Transformation.scaling(2)

    assert_equal Geom::Point3d.new(5, 0, 0), placed.origin
    assert_equal Geom::Point3d.new(7, 0, 0), Geom::Point3d.new(1, 0, 0).transform(placed)
  end

  def test_a_rotation_turns_counter_clockwise_about_its_point
    turned = Geom::Transformation.rotation([1, 0, 0], Z_AXIS, 90.degrees)

    assert_equal Geom::Point3d.new(1, 1, 0), Geom::Point3d.new(2, 0, 0).transform(turned)
    assert_equal turned, Geom::Transformation.new(Geom::Point3d.new(1, 0, 0), Z_AXIS, 90.degrees)
  end

  def test_axes_are_squared_and_normed
    axes = Geom::Transformation.axes([1, 2, 3], [2, 0, 0], [5, 5, 0], [0, 0, 9])

    assert_equal [X_AXIS, Y_AXIS, Z_AXIS].map(&:to_a), [axes.xaxis, axes.yaxis, axes.zaxis].map(&:to_a)
    assert_equal axes, Geom::Transformation.new(Geom::Point3d.new(1, 2, 3), X_AXIS, Y_AXIS)
    assert_equal axes, Geom::Transformation.new(X_AXIS, Y_AXIS, Z_AXIS, Geom::Point3d.new(1, 2, 3))
  end

  def test_a_z_axis_alone_gives_a_right_handed_frame
    [[0, 0, 1], [0, 0, -2], [1, 2, 3]].each do |direction|
      frame = Geom::Transformation.new(ORIGIN, Geom::Vector3d.new(direction))

      assert frame.zaxis.samedirection?(direction)
      assert frame.xaxis.cross(frame.yaxis).samedirection?(direction)
    end
  end

  def test_the_inverse_takes_everything_back
    there = Geom::Transformation.translation([1, 2,
                                              3]) * Geom::Transformation.rotation(ORIGIN, [1, 1, 1], 0.7) *
            Geom::Transformation.scaling(2, 3, 4) * Geom::Transformation.scaling(5)

    assert_predicate there * there.inverse, :identity?
    assert_predicate there.inverse * there, :identity?
    assert_raises(ArgumentError) { Geom::Transformation.scaling(0, 1, 1).inverse }
  end

  def test_products_are_applied_from_right_to_left
    both = Geom::Transformation.translation([1, 0,
                                             0]) * Geom::Transformation.rotation(ORIGIN, Z_AXIS, 90.degrees)

    assert_equal Geom::Point3d.new(1, 1, 0), both * Geom::Point3d.new(1, 0, 0)
  end

  def test_half_way_between_two_turns_lies_half_the_angle
    quarter = Geom::Transformation.rotation(ORIGIN, Z_AXIS, 90.degrees)
    half = Geom::Transformation.interpolate(IDENTITY, quarter, 0.5)

    assert_in_delta 45.degrees, X_AXIS.angle_between(half.xaxis), 1e-9
  end

  def test_wrong_arguments_are_refused
    assert_raises(ArgumentError) { Geom::Transformation.new([1] * 15) }
    assert_raises(ArgumentError) { Geom::Transformation.new('x') }
    assert_raises(ArgumentError) { Geom::Transformation.scaling(1, 2, 3, 4, 5) }
    assert_raises(ArgumentError) { Geom::Transformation.rotation(ORIGIN, [0, 0, 0], 1) }
  end

  def test_callers_cannot_reach_the_matrix_through_its_array
    transformation = Geom::Transformation.new
    transformation.to_a[12] = 99

    assert_predicate transformation, :identity?
  end
end

# Bounds of placed things, which depend on the whole chain of matrices.
class PlacedBoundsTest < BridgeTest
  def setup
    super
    @model = Sketchup.active_model
    @box = @model.definitions.add('box')
    face = @box.entities.add_face([0, 0, 0], [4, 0, 0], [4, 2, 0], [0, 2, 0])
    face.reverse! if face.normal.z.negative?
    @box.entities.add_edges([0, 0, 0], [0, 0, 1])
  end

  def test_bounds_of_a_turned_instance_equal_the_analytic_box
    turned = @model.entities.add_instance(@box, Geom::Transformation.rotation(ORIGIN, Z_AXIS, 30.degrees))
    cosine = Math.cos(30.degrees)
    sine = 0.5

    assert_box [-2 * sine, 0, 0], [4 * cosine, (4 * sine) + (2 * cosine), 1], turned.bounds
  end

  def test_bounds_of_nested_instances_equal_the_product_of_their_transformations
    inner = Geom::Transformation.rotation(ORIGIN, Z_AXIS, 30.degrees)
    outer = Geom::Transformation.rotation([1, 2, 3], X_AXIS, 50.degrees)
    parent = @model.definitions.add('parent')
    parent.entities.add_instance(@box, inner)
    nested = @model.entities.add_instance(parent, outer)
    corners = [[0, 0, 0], [4, 0, 0], [4, 2, 0], [0, 2, 0], [0, 0, 1]].map do |xyz|
      Geom::Point3d.new(xyz).transform(outer * inner)
    end
    expected = Geom::BoundingBox.new.add(corners)

    assert_box expected.min, expected.max, nested.bounds
  end

  def test_bounds_respect_a_scale_in_the_last_element
    scaled = @model.entities.add_instance(@box, Geom::Transformation.scaling(0.5))

    assert_equal 2.0, scaled.transformation.to_a[15]
    assert_box [0, 0, 0], [2, 1, 0.5], scaled.bounds
  end

  private

  def assert_box(low, high, box)
    { low => box.min, high => box.max }.each do |expected, corner|
      Headless::Coordinates.of(expected).zip(Headless::Coordinates.of(corner))
                           .each { |wanted, found| assert_in_delta wanted, found, 1e-9 }
    end
  end
end
