# frozen_string_literal: true

require 'test_helper'

class CoplanarMergeTest < BridgeTest
  def test_two_triangles_in_one_plane_become_a_square
    faces = merged([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])

    assert_equal 1, faces.size
    assert_equal [0, 1, 2, 3], turned_to_first(faces[0][0])
    assert_empty faces[0][1]
  end

  def test_a_frame_of_triangles_becomes_a_face_with_a_hole
    outer = [[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]]
    hole = [[1, 1, 0], [1, 3, 0], [3, 3, 0], [3, 1, 0]]
    faces = merged(outer + hole, Headless::Triangulation.triangles(outer, [hole]))

    assert_equal 1, faces.size
    assert_equal [0, 1, 2, 3], turned_to_first(faces[0][0])
    assert_equal [[4, 5, 6, 7]], (faces[0][1].map { |corners| turned_to_first(corners) })
  end

  def test_edges_that_bend_stay
    roof = [[0, 0, 0], [1, 0, 0], [1, 1, 1], [0, 1, 1], [1, 2, 0], [0, 2, 0]]
    faces = merged(roof, [[0, 1, 2], [0, 2, 3], [3, 2, 4], [3, 4, 5]])

    assert_equal 2, faces.size
  end

  def test_a_slow_curve_does_not_become_one_face
    steps = 200
    strip = (0..steps).flat_map do |step|
      [[10 * Math.sin(step * 0.005), 0, 10 * Math.cos(step * 0.005)],
       [10 * Math.sin(step * 0.005), 1, 10 * Math.cos(step * 0.005)]]
    end
    triangles = (0...steps).flat_map do |step|
      [[2 * step, (2 * step) + 2, (2 * step) + 3], [2 * step, (2 * step) + 3, (2 * step) + 1]]
    end

    assert_operator merged(strip, triangles).size, :>, 50
  end

  def test_polygons_of_different_marks_are_not_joined
    corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]

    assert_equal 2, merged(corners, [[0, 1, 2], [0, 2, 3]], %w[red blue]).size
  end

  def test_parts_that_touch_in_a_corner_are_two_faces
    corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [2, 1, 0], [2, 2, 0], [1, 2, 0]]
    faces = merged(corners, [[0, 1, 2], [0, 2, 3], [2, 4, 5], [2, 5, 6]])

    assert_equal [[0, 1, 2, 3], [2, 4, 5, 6]], (faces.map { |outer, _| turned_to_first(outer) }).sort
  end

  def test_an_edge_of_three_polygons_joins_nothing
    corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]]

    assert_equal 3, merged(corners, [[0, 1, 2], [0, 2, 3], [0, 2, 4]]).size
  end

  def test_a_sliver_joins_the_plane_it_lies_in
    corners = [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [1, 0, 0]]
    faces = merged(corners, [[0, 1, 2], [0, 2, 3], [0, 4, 1]])

    assert_equal 1, faces.size
    assert_equal [0, 4, 1, 2, 3], turned_to_first(faces[0][0])
  end

  private

  def merged(positions, polygons, marks = nil)
    Headless::CoplanarMerge.faces(positions.map { |xyz| xyz.map(&:to_f) }, polygons, marks)
  end

  def turned_to_first(corners)
    corners.rotate(corners.index(corners.min))
  end
end
