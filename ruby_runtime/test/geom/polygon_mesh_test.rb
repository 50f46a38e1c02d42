# frozen_string_literal: true

require 'test_helper'

class PolygonMeshTest < BridgeTest
  def setup
    super
    @mesh = Geom::PolygonMesh.new
  end

  def test_indices_count_from_one_and_equal_points_share_one
    assert_equal 1, @mesh.add_point(ORIGIN)
    assert_equal 2, @mesh.add_point(Geom::Point3d.new(1, 0, 0))
    assert_equal 1, @mesh.add_point(Geom::Point3d.new(0, 0, 0.0005))
    assert_equal 2, @mesh.count_points
    assert_equal ORIGIN, @mesh.point_at(1)
    assert_nil @mesh.point_at(3)
  end

  def test_equal_points_are_found_across_the_walls_of_the_search_grid
    50.times do |step|
      at = step * Headless::PointPlaces::CELL / 7
      first = @mesh.add_point(Geom::Point3d.new(at - 0.0004, at, -at))

      assert_equal first, @mesh.add_point(Geom::Point3d.new(at + 0.0004, at, -at)), at
    end
  end

  def test_polygons_are_added_by_points_or_indices
    assert_equal 1, @mesh.add_polygon([ORIGIN, Geom::Point3d.new(1, 0, 0), Geom::Point3d.new(1, 1, 0)])
    @mesh.add_point(Geom::Point3d.new(0, 1, 0))

    assert_equal 2, @mesh.add_polygon(1, -3, 4)
    assert_equal [1, -3, 4], @mesh.polygon_at(2)
    assert_equal [ORIGIN, Geom::Point3d.new(1, 1, 0), Geom::Point3d.new(0, 1, 0)], @mesh.polygon_points_at(2)
    assert_equal 2, @mesh.count_polygons
  end

  def test_what_is_no_polygon_gives_zero
    @mesh.add_point(ORIGIN)

    assert_equal 0, @mesh.add_polygon(1, 1, 1)
    assert_equal 0, @mesh.add_polygon(1, 2, 3)
    assert_equal 0, @mesh.count_polygons
  end

  def test_arrays_in_place_of_points_are_refused
    assert_raises(ArgumentError) { @mesh.add_point([0, 0, 0]) }
    assert_raises(ArgumentError) { @mesh.add_polygon([[0, 0, 0], [1, 0, 0], [0, 1, 0]]) }
  end

  def test_a_mesh_without_normals_has_none
    @mesh.add_point(ORIGIN)

    assert_nil @mesh.normal_at(1)
  end

  def test_transforming_moves_every_point
    @mesh.add_point(ORIGIN)
    @mesh.transform!(Geom::Transformation.translation([1, 2, 3]))

    assert_equal Geom::Point3d.new(1, 2, 3), @mesh.point_at(1)
  end

  def test_the_flags_are_the_hosts
    assert_equal [0, 1, 2, 4, 8],
                 [Geom::PolygonMesh::NO_SMOOTH_OR_HIDE, Geom::PolygonMesh::HIDE_BASED_ON_INDEX,
                  Geom::PolygonMesh::SOFTEN_BASED_ON_INDEX, Geom::PolygonMesh::AUTO_SOFTEN,
                  Geom::PolygonMesh::SMOOTH_SOFT_EDGES]
    assert_equal [0, 1, 2, 4], [Geom::PolygonMesh::MESH_POINTS, Geom::PolygonMesh::MESH_UVQ_FRONT,
                                Geom::PolygonMesh::MESH_UVQ_BACK, Geom::PolygonMesh::MESH_NORMALS]
  end
end

# The mesh that a face hands out.
class FaceMeshTest < BridgeTest
  def setup
    super
    @face = Sketchup.active_model.entities.add_face([0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0])
  end

  def test_without_the_flag_there_are_no_normals
    assert_nil @face.mesh(0).normal_at(1)
  end

  def test_with_the_flag_normals_are_unit_vectors
    mesh = @face.mesh(Geom::PolygonMesh::MESH_NORMALS)

    (1..mesh.count_points).each { |index| assert_in_delta 1.0, mesh.normal_at(index).length.to_f, 1e-12 }
    assert mesh.normal_at(1).parallel?(Z_AXIS)
  end

  def test_indices_count_from_one_and_polygons_are_triangles
    mesh = @face.mesh

    assert_equal 4, mesh.count_points
    assert_equal 2, mesh.count_polygons
    assert_equal [1, 2, 3, 4], mesh.polygons.flatten.map(&:abs).uniq.sort
    assert_nil mesh.point_at(0)
    mesh.polygons.each { |polygon| assert_equal 3, polygon.size }
  end
end
