# frozen_string_literal: true

require 'test_helper'
require 'vcad_bridge/model/native_mesh'

class OrientationTest < Minitest::Test
  TETRAHEDRON = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]].freeze
  CORNERS = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].freeze

  def test_triangles_that_face_either_way_are_turned_outward
    16.times do |turned|
      mixed = TETRAHEDRON.each_with_index.map do |triangle, index|
        turned[index] == 1 ? triangle.reverse : triangle
      end

      assert_in_delta 1.0 / 6, volume(CORNERS, outward(CORNERS, mixed))
    end
  end

  def test_the_wall_of_a_void_faces_the_void
    inner = CORNERS.map { |point| point.map { |value| (value * 0.25) + 0.1 } }
    points = CORNERS + inner
    triangles = TETRAHEDRON + TETRAHEDRON.map { |triangle| triangle.map { |index| index + 4 } }

    assert_in_delta (1 - (0.25**3)) / 6, volume(points, outward(points, triangles))
  end

  def test_solids_beside_each_other_all_face_outward
    points = CORNERS + CORNERS.map { |x, y, z| [x + 5, y, z] }
    triangles = TETRAHEDRON + TETRAHEDRON.map { |triangle| triangle.map { |index| index + 4 }.reverse }

    assert_in_delta 2.0 / 6, volume(points, outward(points, triangles))
  end

  # While this runs, SketchUp does nothing else.
  def test_many_solids_beside_each_other_take_little_time
    count = 400
    points = (0...count).flat_map do |i|
      CORNERS.map { |x, y, z| [x + (5 * (i % 20)), y + (5 * (i / 20)), z] }
    end
    triangles = (0...count).flat_map do |i|
      TETRAHEDRON.map { |triangle| triangle.map { |index| index + (4 * i) } }
    end
    started = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    turned = outward(points, triangles)

    assert_operator Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - started, :<, 1.5
    assert_in_delta count / 6.0, volume(points, turned), 1e-6
  end

  private

  def outward(points, triangles)
    Vcad::Bridge::NativeMesh::Orientation.new(points, triangles).outward
  end

  def volume(points, triangles)
    triangles.sum do |triangle|
      a, b, c = points.values_at(*triangle)
      cross = Vcad::Bridge::NativeMesh::Orientation.cross([0.0, 0.0, 0.0], b, c)
      a.zip(cross).sum { |one, other| one * other } / 6.0
    end
  end
end
