# frozen_string_literal: true

require 'test_helper'

class WeldingTest < BridgeTest
  def test_points_that_all_differ_need_no_map
    assert_nil Headless::Welding.first_equals([[0.0, 0.0, 0.0], [0.002, 0.0, 0.0]])
  end

  def test_equal_points_go_to_the_first_of_them
    points = [[5.0, 5.0, 5.0], [0.0, 0.0, 0.0], [5.0005, 5.0, 4.9995], [0.0, 0.0, 0.0]]

    assert_equal [0, 1, 0, 1], Headless::Welding.first_equals(points)
  end

  def test_the_same_as_comparing_every_pair
    random = Random.new(3)
    points = Array.new(300) { Array.new(3) { random.rand(10) / 2.0 } }
    expected = points.map { |point| points.index(point) }

    assert_equal expected, Headless::Welding.first_equals(points)
  end
end
