# frozen_string_literal: true

require 'test_helper'

class TriangulationTest < BridgeTest
  SQUARE = [[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]].freeze
  HOLE = [[1, 1, 0], [1, 3, 0], [3, 3, 0], [3, 1, 0]].freeze

  def test_a_convex_polygon_becomes_a_fan
    assert_equal [[0, 1, 2], [0, 2, 3]], Headless::Triangulation.triangles(SQUARE)
  end

  def test_a_hole_stays_open
    assert_cut SQUARE, [HOLE], 12.0
    assert_cut SQUARE, [HOLE.reverse], 12.0
  end

  def test_concave_outlines_are_cut_inside
    comb = [[0, 0], [7, 0], [7, 5], [6, 5], [6, 1], [4, 1], [4, 5], [3, 5], [3, 1], [1, 1], [1, 5], [0, 5]]
           .map { |x, y| [x, y, 0] }

    assert_cut comb, [], 7.0 + 12.0
  end

  def test_corners_on_straight_edges_are_used
    triangles = assert_cut([[0, 0, 0], [2, 0, 0], [4, 0, 0], [4, 4, 0], [2, 4, 0], [0, 4, 0]], [], 16.0)

    assert_equal [0, 1, 2, 3, 4, 5], triangles.flatten.uniq.sort
  end

  def test_many_holes_side_by_side
    plate = [[0, 0, 0], [40, 0, 0], [40, 40, 0], [0, 40, 0]]
    holes = (0...16).map do |number|
      Array.new(12) do |step|
        angle = -step * Math::PI / 6
        [5 + (10 * (number % 4)) + (2 * Math.cos(angle)), 5 + (10 * (number / 4)) + (2 * Math.sin(angle)), 0]
      end
    end

    assert_cut plate, holes, 1600.0 - (16 * 12.0)
  end

  def test_a_hole_that_touches_the_outline_in_a_corner
    assert_cut SQUARE, [[[0, 0, 0], [1, 3, 0], [3, 1, 0]]], 12.0, count: 5
    assert_cut SQUARE, [HOLE, [[1, 1, 0], [0.5, 0.2, 0], [0.2, 0.5, 0]]], 11.805, count: 11
  end

  def test_faces_in_any_plane_and_orientation
    tilted = Geom::Transformation.rotation(ORIGIN, [1, 2, 3], 1.1)
    [IDENTITY, tilted, Geom::Transformation.rotation(ORIGIN, X_AXIS, Math::PI)].each do |turned|
      outer = SQUARE.map { |xyz| Geom::Point3d.new(xyz).transform(turned) }
      hole = HOLE.map { |xyz| Geom::Point3d.new(xyz).transform(turned) }

      assert_cut outer, [hole], 12.0
    end
  end

  def test_triangles_run_like_the_outline
    triangles = Headless::Triangulation.triangles(SQUARE.reverse, [HOLE])
    points = SQUARE.reverse + HOLE

    triangles.each { |corners| assert_operator area_vector(points.values_at(*corners))[2], :<, 0 }
  end

  def test_random_stars_are_covered_exactly
    random = Random.new(7)
    20.times do
      star = Array.new(30) do |step|
        radius = 1 + (4 * random.rand)
        [radius * Math.cos(step * Math::PI / 15), radius * Math.sin(step * Math::PI / 15), 0.0]
      end

      assert_cut star, [], area_vector(star)[2] / 2
    end
  end

  private

  # The pieces cover the polygon: their areas add up, none is turned over, and none is missing.
  def assert_cut(outer, holes, area, count: outer.size + holes.sum(&:size) + (2 * holes.size) - 2)
    triangles = Headless::Triangulation.triangles(outer, holes)
    points = (outer + holes.flatten(1)).map { |corner| Headless::Coordinates.of(corner) }
    direction = area_vector(outer.map { |corner| Headless::Coordinates.of(corner) })
    sizes = triangles.map do |corners|
      piece = area_vector(points.values_at(*corners))
      Headless::Coordinates.dot(piece, direction) / Headless::Coordinates.norm(direction) / 2
    end

    assert_equal count, triangles.size
    sizes.each { |size| assert_operator size, :>=, -1e-9 }
    assert_in_delta area, sizes.sum, 1e-9 * area
    triangles
  end

  def area_vector(points)
    Headless::Coordinates.area_vector(points.map { |xyz| xyz.map(&:to_f) })
  end
end
