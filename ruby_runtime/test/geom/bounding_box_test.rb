# frozen_string_literal: true

require 'test_helper'

class BoundingBoxTest < BridgeTest
  def test_an_empty_box_has_corners_that_nobody_may_use
    box = Geom::BoundingBox.new

    assert_empty box
    refute_predicate box, :valid?
    assert_equal 1e30, box.min.x.to_f
    assert_equal(-1e30, box.max.x.to_f)
  end

  def test_height_is_along_y_and_depth_along_z
    box = Geom::BoundingBox.new.add([0, 0, 0], [1, 2, 3])

    assert_equal [1.0, 2.0, 3.0], [box.width, box.height, box.depth].map(&:to_f)
    assert_instance_of Length, box.height
    assert_in_delta Math.sqrt(14), box.diagonal.to_f, 1e-12
    assert_equal Geom::Point3d.new(0.5, 1, 1.5), box.center
  end

  def test_corners_count_in_bits_of_x_y_and_z
    box = Geom::BoundingBox.new.add([0, 0, 0], [1, 2, 3])

    assert_equal Geom::Point3d.new(1, 0, 0), box.corner(1)
    assert_equal Geom::Point3d.new(0, 2, 0), box.corner(2)
    assert_equal Geom::Point3d.new(1, 2, 3), box.corner(7)
    assert_raises(ArgumentError) { box.corner(8) }
  end

  def test_points_lists_and_boxes_can_be_added
    box = Geom::BoundingBox.new
    box.add([Geom::Point3d.new(1, 1, 1), Geom::Point3d.new(2, 0, 0)])
    box.add(Geom::BoundingBox.new.add([5, 5, 5]))
    box.add(Geom::BoundingBox.new)

    assert_equal Geom::Point3d.new(1, 0, 0), box.min
    assert_equal Geom::Point3d.new(5, 5, 5), box.max
  end

  def test_a_box_contains_its_points_and_smaller_boxes
    box = Geom::BoundingBox.new.add([0, 0, 0], [4, 4, 4])

    assert box.contains?([4, 0, 2])
    refute box.contains?([4.1, 0, 2])
    assert box.contains?(Geom::BoundingBox.new.add([1, 1, 1], [2, 2, 2]))
  end

  def test_boxes_apart_share_an_empty_box
    box = Geom::BoundingBox.new.add([0, 0, 0], [1, 1, 1])

    assert_empty box.intersect(Geom::BoundingBox.new.add([2, 2, 2], [3, 3, 3]))
    assert_equal Geom::Point3d.new(0.5, 0.5, 0.5),
                 box.intersect(Geom::BoundingBox.new.add([0.5, 0.5, 0.5], [3, 3, 3])).min
  end

  def test_a_copy_of_a_box_grows_alone
    box = Geom::BoundingBox.new.add([0, 0, 0])
    box.clone.add([9, 9, 9])

    assert_equal ORIGIN, box.max
  end
end
