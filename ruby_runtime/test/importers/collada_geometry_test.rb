# frozen_string_literal: true

require_relative 'importing'
require_relative 'collada_text'

class ColladaGeometryTest < ImportTest
  BOX = ColladaText.corners([10, 20, 30]).freeze

  def test_polylists_and_triangles_give_the_same_faces
    lists = [ColladaText.polylist(ColladaText::QUADS), ColladaText.triangles(ColladaText::TRIANGLES)]
    counts = lists.map { |list| counts_of(import(document(BOX, list))) }

    assert_equal [[6, 12]], counts.uniq
  end

  def test_triangles_stay_when_nothing_is_to_be_merged
    definition = import(ColladaText.box, merge_coplanar_faces: false)

    assert_equal [12, 18], counts_of(definition)
  end

  def test_a_mesh_may_have_several_primitives_over_one_source
    primitives = ColladaText.polylist(ColladaText::QUADS.first(2)) +
                 ColladaText.triangles(ColladaText::TRIANGLES.drop(4))

    assert_equal [6, 12], counts_of(import(document(BOX, primitives)))
  end

  def test_polygons_may_have_holes
    points = [[0, 0, 0], [40, 0, 0], [40, 40, 0], [0, 40, 0], [10, 10, 0], [10, 30, 0], [30, 30, 0],
              [30, 10, 0]]
    primitive = '<polygons count="1"><input semantic="VERTEX" source="#v" offset="0"/>' \
                '<ph><p>0 1 2 3</p><h>4 5 6 7</h></ph></polygons>'
    face = import(document(points, primitive)).entities.grep(Sketchup::Face).first

    assert_equal 2, face.loops.size
    assert_in_delta 1200.0, face.area * (25.4**2), 1e-6
  end

  def test_merged_triangles_around_an_opening_become_one_face_with_a_hole
    outer = [[0, 0, 0], [40, 0, 0], [40, 40, 0], [0, 40, 0]]
    hole = [[10, 10, 0], [10, 30, 0], [30, 30, 0], [30, 10, 0]]
    definition = import(document(outer + hole,
                                 ColladaText.triangles(Headless::Triangulation.triangles(outer, [hole]))))

    assert_equal [1, 8], counts_of(definition)
    assert_equal 2, definition.entities.grep(Sketchup::Face).first.loops.size
  end

  def test_points_closer_than_the_tolerance_become_one
    doubled = ColladaText::TRIANGLES.flatten.map { |corner| BOX[corner].map { |value| value + 0.001 } }
    definition = import(document(doubled, ColladaText.triangles((0...36).each_slice(3).to_a)))

    assert_equal [6, 12], counts_of(definition)
    assert_predicate @model.entities.add_instance(definition, IDENTITY), :manifold?
  end

  def test_what_is_smaller_than_the_tolerance_collapses_and_is_counted
    thin = ColladaText.box([10, 20, 0.01])
    definition = import(thin)

    refute_predicate @model.entities.add_instance(definition, IDENTITY), :manifold?
    assert_operator @model.headless_collapsed_faces, :>, 0
  end

  def test_faces_that_are_there_once_per_side_become_one
    both = ColladaText::QUADS + ColladaText::QUADS.map(&:reverse)
    definition = import(document(BOX, ColladaText.polylist(both)))

    assert_equal [6, 12], counts_of(definition)
    assert_predicate @model.entities.add_instance(definition, IDENTITY), :manifold?
  end

  def test_edges_are_hard_without_normals
    assert_empty edges(import(ColladaText.box)).select(&:soft?)
  end

  def test_edges_are_soft_where_both_sides_share_their_normals
    definition = import(prism_with_shared_normals)
    soft = edges(definition).select { |edge| edge.soft? && edge.smooth? }

    assert_equal 8, soft.size
    soft.each { |edge| assert edge.line[1].parallel?(Z_AXIS) }
  end

  def test_edges_are_hard_where_normals_differ
    definition = import(prism_with_shared_normals)
    rims = edges(definition).reject { |edge| edge.line[1].parallel?(Z_AXIS) }

    assert_equal 16, rims.size
    assert_empty(rims.select { |edge| edge.soft? || edge.smooth? })
  end

  def test_materials_come_from_the_diffuse_colour
    definition = import(painted('1 0.5 0 1'))

    assert_equal ['brass'], @model.materials.map(&:name)
    assert_equal [255, 128, 0], @model.materials['brass'].color.to_a.first(3)
    assert_equal ['brass'], definition.entities.grep(Sketchup::Face).map { |face| face.material.name }.uniq
  end

  def test_the_same_material_is_used_again_and_another_of_that_name_is_not
    2.times { import(painted('1 0.5 0 1')) }
    import(painted('0 0 1 1'))

    assert_equal 2, @model.materials.length
  end

  def test_see_through_materials_keep_their_opacity
    import(painted('1 1 1 0.25'))

    assert_in_delta 0.25, @model.materials['brass'].alpha, 1e-6
  end

  private

  def document(points, primitives)
    ColladaText.document(ColladaText.geometry(points, primitives))
  end

  def counts_of(definition)
    [definition.entities.grep(Sketchup::Face).size, edges(definition).size]
  end

  # Eight sides with normals that run around, and two lids with their own.
  def prism_with_shared_normals
    ring = Array.new(8) { |step| [Math.cos(step * Math::PI / 4), Math.sin(step * Math::PI / 4)] }
    points = [0, 10].flat_map { |z| ring.map { |x, y| [10 * x, 10 * y, z] } }
    normals = ring.map { |x, y| [x, y, 0] } + [[0, 0, -1], [0, 0, 1]]
    primitive = polylist_with_normals(prism_sides + prism_lids)
    ColladaText.document(ColladaText.geometry(points, primitive, sources: ColladaText.source('n', normals)))
  end

  # Loops of pairs: corner and normal.
  def prism_sides
    Array.new(8) do |step|
      following = (step + 1) % 8
      [[step, step], [following, following], [8 + following, following], [8 + step, step]]
    end
  end

  def prism_lids
    [(0...8).to_a.reverse.map { |corner| [corner, 8] }, (8...16).map { |corner| [corner, 9] }]
  end

  def polylist_with_normals(loops)
    <<~XML
      <polylist count="#{loops.size}">#{ColladaText::VERTEX}<input semantic="NORMAL" source="#n" offset="1"/>
      <vcount>#{loops.map(&:size).join(' ')}</vcount><p>#{loops.flatten.join(' ')}</p></polylist>
    XML
  end

  def painted(color)
    libraries = <<~XML
      <library_effects><effect id="e"><profile_COMMON><technique sid="t"><phong>
      <diffuse><color>#{color}</color></diffuse></phong></technique></profile_COMMON></effect></library_effects>
      <library_materials><material id="m" name="brass"><instance_effect url="#e"/></material></library_materials>
    XML
    nodes = <<~XML
      <node name="part"><instance_geometry url="#shape"><bind_material><technique_common>
      <instance_material symbol="surface" target="#m"/>
      </technique_common></bind_material></instance_geometry></node>
    XML
    ColladaText.box(libraries: libraries, nodes: nodes)
  end
end
