# frozen_string_literal: true

require_relative 'model_case'

# Faces, edges and vertices: welding, bounds, bodies, triangles.
class ModelGeometryTest < ModelCase
  def test_a_box_shares_its_vertices_and_edges
    entities = box_definition.entities

    assert_equal [6, 12], [Sketchup::Face, Sketchup::Edge].map { |kind| entities.grep(kind).size }
    vertices = entities.grep(Sketchup::Face).flat_map(&:vertices).uniq
    assert_equal 8, vertices.size
    assert_equal [3], vertices.map { |vertex| vertex.edges.size }.uniq
    assert_equal [2], entities.grep(Sketchup::Edge).map { |edge| edge.faces.size }.uniq
    assert_in_delta 22.0, entities.grep(Sketchup::Face).sum(&:area)
  end

  def test_a_turned_instance_has_the_analytic_box
    instance = place(box_definition('box', [2, 1, 3]), rotation(30))
    c = Math.cos(30.degrees)
    s = Math.sin(30.degrees)

    assert_box [-s, 0, 0], [2 * c, (2 * s) + c, 3], instance.bounds
    assert_box [-s, 0, 0], [2 * c, (2 * s) + c, 3], model.bounds
    assert_box [0, 0, 0], [2, 1, 3], instance.definition.bounds
  end

  def test_a_box_nested_twice_has_the_box_of_the_product
    inner = box_definition('inner', [2, 1, 3])
    outer = model.definitions.add('outer')
    place(inner, rotation(20), entities: outer.entities)
    instance = place(outer, translation(5, 0, 0) * rotation(10))
    direct = place(inner, translation(5, 0, 0) * rotation(30))

    assert_box(*corners(direct.bounds), instance.bounds)
  end

  def test_a_uniform_scale_in_the_last_element_counts
    scaled = place(box_definition('box', [2, 1, 3]), Geom::Transformation.scaling(2))

    refute_in_delta 1.0, scaled.transformation.to_a[15]
    assert_box [0, 0, 0], [4, 2, 6], scaled.bounds
    assert_in_delta 48.0, scaled.volume
  end

  def test_bounds_follow_every_change_and_its_undo
    definition = box_definition
    group = model.entities.add_group
    place(definition, entities: group.entities)

    assert_box [0, 0, 0], [1, 2, 3], group.bounds
    build_box(definition.entities, 9, 9, 9)
    assert_box [0, 0, 0], [9, 9, 9], group.bounds
    undo
    assert_box [0, 0, 0], [1, 2, 3], model.bounds
    definition.entities.transform_entities(translation(1, 0, 0), definition.entities.to_a)
    assert_box [1, 0, 0], [2, 2, 3], model.bounds
    undo
    assert_box [0, 0, 0], [1, 2, 3], model.bounds
  end

  def test_an_empty_definition_has_empty_bounds
    assert_predicate model.definitions.add('nothing').bounds, :empty?
    assert_predicate place(model.definitions['nothing']).bounds, :empty?
  end

  def test_a_closed_box_is_a_body_and_an_open_one_is_none
    closed = place(box_definition)
    open = model.definitions.add('open')
    build_box(open.entities, 1, 2, 3, faces: BOX_FACES.drop(1))
    open = place(open)

    assert_predicate closed, :manifold?
    assert_in_delta 6.0, closed.volume
    refute_predicate open, :manifold?
    assert_in_delta(-1.0, open.volume)
  end

  def test_nested_things_and_emptiness_are_no_bodies
    mixed = box_definition('mixed')
    mixed.entities.add_group
    empty = model.entities.add_group

    refute_predicate place(mixed), :manifold?
    refute_predicate empty, :manifold?
    mixed.headless_manifold = true
    assert_predicate mixed.instances.first, :manifold?
  end

  def test_volume_is_that_of_the_world_scale_even_mirrored
    definition = box_definition
    mirrored = place(definition, Geom::Transformation.scaling(-2, 1, 1))

    assert_in_delta 12.0, mirrored.volume
    refute_respond_to definition, :manifold?
    refute_respond_to definition.entities, :manifold?
  end

  def test_points_within_tolerance_weld_and_collapsing_faces_are_counted
    model.entities.build do |builder|
      builder.add_face([[0, 0, 0], [1, 0, 0], [0, 1, 0]].map { |xyz| Geom::Point3d.new(xyz) })
      builder.add_face([[1.0005, 0, 0], [1, 1, 0], [0, 1.0005, 0]].map { |xyz| Geom::Point3d.new(xyz) })
      sliver = [[5, 0, 0], [5.0004, 0, 0], [5, 1, 0]].map { |xyz| Geom::Point3d.new(xyz) }
      assert_nil builder.add_face(sliver)
    end

    assert_equal 2, model.entities.grep(Sketchup::Face).size
    assert_equal 5, model.entities.grep(Sketchup::Edge).size
    assert_equal 1, model.headless_collapsed_faces
    undo
    assert_equal 0, model.headless_collapsed_faces
    assert_empty model.entities.to_a
  end

  def test_new_faces_share_edges_with_those_that_are_there
    first = model.entities.add_face([0, 0, 1], [1, 0, 1], [1, 1, 1])
    second = model.entities.add_face([0, 0, 1], [1, 1, 1], [0, 1, 1])
    shared = (first.edges & second.edges).first

    assert_equal [first, second], shared.faces
    undo
    assert_equal [first], shared.faces
    assert_predicate second, :deleted?
  end

  def test_bent_and_repeated_points_make_no_face
    points = [[0, 0, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0]]
    assert_raises(ArgumentError) { model.entities.add_face(points) }
    assert_raises(ArgumentError) { model.entities.add_face([[0, 0, 0], [1, 0, 0], [1, 0, 0.0001]]) }
    assert_raises(ArgumentError) { model.entities.add_face([[0, 0, 0], [1, 0, 0]]) }
    assert_raises(ArgumentError) do
      model.entities.build { |builder| builder.add_face(points.map { |xyz| Geom::Point3d.new(xyz) }) }
    end
    assert_empty model.entities.to_a
    assert_empty undo_names
  end

  def test_a_face_drawn_on_the_ground_looks_down
    face = model.entities.add_face([0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0])

    assert_in_delta(-1.0, face.normal.z)
    face.reverse!
    assert_in_delta 1.0, face.normal.z
    undo
    assert_in_delta(-1.0, face.normal.z)
  end

  def test_the_builder_is_over_after_its_block
    kept = nil
    model.entities.build { |builder| kept = builder }

    refute_predicate kept, :valid?
    assert_raises(RuntimeError) { kept.add_face([]) }
  end

  def test_holes_take_area_and_volume_away
    outer = [[0, 0, 1], [4, 0, 1], [4, 4, 1], [0, 4, 1]].map { |xyz| Geom::Point3d.new(xyz) }
    hole = [[1, 1, 1], [2, 1, 1], [2, 2, 1], [1, 2, 1]].map { |xyz| Geom::Point3d.new(xyz) }
    face = nil
    model.entities.build { |builder| face = builder.add_face(outer, holes: [hole]) }

    assert_in_delta 15.0, face.area
    assert_equal [true, false], face.loops.map(&:outer?)
    assert_equal [4, 4], face.loops.map { |found| found.edges.compact.size }
    mesh = face.mesh
    area = (1..mesh.count_polygons).sum { |index| triangle_area(mesh.polygon_points_at(index)) }
    assert_in_delta 15.0, area
  end

  def triangle_area(points)
    ((points[1] - points[0]) * (points[2] - points[0])).length.to_f / 2
  end

  def test_a_face_pulled_up_becomes_a_body_and_then_grows
    group = model.entities.add_group
    face = group.entities.add_face([0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0])
    face.pushpull(-3)

    assert_in_delta 12.0, group.volume
    top = group.entities.grep(Sketchup::Face).max_by { |found| found.bounds.center.z.to_f }
    top.pushpull(2.0)
    assert_in_delta 20.0, group.volume
    assert_equal 6, group.entities.grep(Sketchup::Face).size
    undo
    undo
    assert_equal [face], group.entities.grep(Sketchup::Face)
  end

  def test_a_face_with_a_hole_becomes_a_tube
    outer = [[0, 0, 1], [4, 0, 1], [4, 4, 1], [0, 4, 1]].map { |xyz| Geom::Point3d.new(xyz) }
    hole = [[1, 1, 1], [2, 1, 1], [2, 2, 1], [1, 2, 1]].map { |xyz| Geom::Point3d.new(xyz) }
    group = model.entities.add_group
    face = nil
    group.entities.build { |builder| face = builder.add_face(outer, holes: [hole]) }
    face.pushpull(2)

    assert_in_delta 30.0, group.volume
    signed = group.entities.grep(Sketchup::Face).sum { |found| Headless::Solidity.share(found) }
    assert_in_delta 30.0, signed
  end

  def test_a_mesh_without_the_flag_has_no_normals
    face = box_definition.entities.grep(Sketchup::Face).first

    assert_nil face.mesh(0).normal_at(1)
    mesh = face.mesh(Geom::PolygonMesh::MESH_NORMALS)
    assert_equal [4, 2], [mesh.count_points, mesh.count_polygons]
    (1..4).each { |index| assert_in_delta 1.0, mesh.normal_at(index).length.to_f }
    indices = mesh.polygons.flatten
    assert_equal [1, 2, 3, 4], indices.map(&:abs).uniq.sort
    assert_equal 2, indices.count(&:negative?), 'both sides of the diagonal are hidden'
  end

  def test_filling_needs_an_empty_collection
    mesh = Geom::PolygonMesh.new
    mesh.add_polygon([[0, 0, 0], [1, 0, 0], [0, 1, 0]].map { |xyz| Geom::Point3d.new(xyz) })
    group = model.entities.add_group

    assert group.entities.fill_from_mesh(mesh)
    refute group.entities.fill_from_mesh(mesh)
    assert_equal 1, group.entities.grep(Sketchup::Face).size
    assert_equal 1, model.entities.add_faces_from_mesh(mesh)
  end

  def test_flat_edges_of_a_mesh_become_soft
    mesh = Geom::PolygonMesh.new
    corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]].map { |xyz| Geom::Point3d.new(xyz) }
    mesh.add_polygon(corners.values_at(0, 1, 2))
    mesh.add_polygon(corners.values_at(0, 2, 3))
    model.entities.fill_from_mesh(mesh)
    soft, hard = model.entities.grep(Sketchup::Edge).partition(&:soft?)

    assert_equal [1, 4], [soft.size, hard.size]
    assert_predicate soft.first, :smooth?
  end

  def test_twenty_thousand_triangles_load_in_time
    positions, polygons = wave(100)
    definition = model.definitions.add('wave')
    started = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    made = Headless::MeshLoading.add(definition.entities, positions, polygons, {})

    assert_operator Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - started, :<, 0.8
    assert_equal 20_000, made
    assert_equal 20_000, definition.entities.grep(Sketchup::Face).size
    undo
    assert_empty definition.entities.to_a
  end

  # A bent sheet of n by n squares, each cut in two.
  def wave(count)
    positions = (0..count).flat_map { |i| (0..count).map { |j| [i * 0.1, j * 0.1, Math.sin(i * 0.1) * 3] } }
    squares = (0...count).flat_map { |i| (0...count).map { |j| (i * (count + 1)) + j } }
    [positions, squares.flat_map do |a|
                  [[[a, a + count + 1, a + 1]], [[a + 1, a + count + 1, a + count + 2]]]
                end]
  end

  def test_edge_flags_of_a_bulk_load_are_kept
    positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [7.0, 7.0, 7.0]]
    flags = { (0 * 5) + 2 => 3, (0 * 5) + 1 => 4 }
    Headless::MeshLoading.add(model.entities, positions, [[[0, 1, 2]], [[0, 2, 3]]], flags)
    edges = model.entities.grep(Sketchup::Edge)

    assert_equal 1, edges.count { |edge| edge.soft? && edge.smooth? }
    assert_equal 1, edges.count(&:hidden?)
    assert_box [0, 0, 0], [1, 1, 0], model.bounds
  end
end
