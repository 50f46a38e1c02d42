# frozen_string_literal: true

require 'test_helper'
require_relative 'tool_calls'

class PlacingNodesTest < Minitest::Test
  include ToolCalls

  def test_a_part_stands_where_it_was_asked_for_in_one_undo_step
    result = place('bracket', box(10, 20, 30), position: [100, 0, 5], source_file: 'bracket.cmp.oo')

    assert_equal ['bracket', 'vcad_bracket', 1, true],
                 result.values_at('node_id', 'definition_name', 'version', 'created')
    assert result['manifold']
    refute result.key?('warnings')
    assert_box [0, 0, 0], [10, 20, 30], result['bounds']
    assert_box [100, 0, 5], [110, 20, 35], Vcad::Bridge::Millimetres.bounds(entity(result).bounds)
    assert_undo_steps 'Place vcad_bracket'
  end

  def test_the_definition_carries_exactly_three_keys
    result = place('bracket', box(1, 2, 3), source_file: 'bracket.cmp.oo')
    dictionary = entity(result).definition.attribute_dictionary('vcad')

    assert_equal({ 'node_id' => 'bracket', 'source_file' => 'bracket.cmp.oo', 'version' => 1 },
                 dictionary.keys.to_h { |key| [key, dictionary[key]] })
  end

  %w[flat wrapped multi].each do |structure|
    define_method("test_geometry_is_solid_and_in_millimetres_when_the_importer_gives_#{structure}") do
      Headless.configuration.update(dae_structure: structure)
      before = @model.definitions.length
      result = place('part', box(10, 20, 30), expected_bbox_mm: { min: [0, 0, 0], max: [10, 20, 30] })

      assert result['manifold']
      assert_box [0, 0, 0], [10, 20, 30], result['bounds']
      assert_equal before + 1, @model.definitions.length
    end
  end

  # Asking again and again would freeze SketchUp.
  def test_a_leftover_that_the_host_keeps_is_left
    Headless.configuration.update(dae_structure: 'wrapped')
    definitions = @model.definitions
    asked = 0
    definitions.define_singleton_method(:remove) { |_| (asked += 1) > 50 ? raise('asked for ever') : false }

    assert place('a', box(1, 1, 1))['success']
    assert_equal 1, asked
  ensure
    definitions.singleton_class.remove_method(:remove)
  end

  def test_the_old_argument_name_is_accepted
    assert call('place_vcad_node', node_id: 'a', obj_path: box(1, 1, 1))['success']
  end

  def test_placing_again_swaps_the_geometry_and_keeps_the_instance
    first = place('part', box(10, 10, 10), position: [5, 0, 0])
    entity(first).transformation = Geom::Transformation.new([1, 2, 3])
    second = place('part', box(20, 10, 10), position: [900, 0, 0])

    assert_equal first['entity_id'], second['entity_id']
    assert_equal [2, false], second.values_at('version', 'created')
    assert_equal 1, @model.entities.length
    assert_in_delta 1.0, entity(second).transformation.origin.x.to_f
  end

  def test_placing_again_adds_an_instance_when_none_is_left
    first = place('part', box(10, 10, 10))
    entity(first).erase!
    second = place('part', box(20, 10, 10), position: [7, 0, 0])

    assert_equal [2, false], second.values_at('version', 'created')
    assert_equal 1, @model.entities.length
  end

  def test_one_more_instance_shares_the_definition
    first = place('part', box(10, 10, 10))
    second = place('part', box(10, 10, 10), if_exists: 'add_instance', position: [50, 0, 0])

    refute_equal first['entity_id'], second['entity_id']
    assert_equal entity(first).definition, entity(second).definition
    assert_equal 1, second['version']
  end

  def test_a_taken_node_id_can_be_refused
    place('part', box(10, 10, 10))

    assert_equal 'if_exists',
                 assert_refused('INVALID_PARAMS', 'place_vcad_node', node_id: 'part', mesh_path: box(1, 1, 1),
                                                                     if_exists: 'error')['path']
  end

  def test_names_are_made_unique_and_read_back
    @model.definitions.add('vcad_part')

    assert_equal 'vcad_part#1', place('part', box(1, 1, 1))['definition_name']
  end

  def test_unicode_names_are_kept
    result = place('part', box(1, 1, 1, name: 'größe.dae'), component_name: 'Stütze Ω 支柱', layer: 'Möbel')

    assert_equal 'Stütze Ω 支柱', result['definition_name']
    assert_equal 'Möbel', entity(result).layer.name
  end

  def test_layer_and_material_are_made_when_missing
    result = place('part', box(1, 1, 1), layer: 'Frame', material: 'Oak')

    assert_equal %w[Frame Oak], [entity(result).layer.name, entity(result).material.name]
    assert_equal ['MATERIAL_CREATED'], result['warnings']
    assert_undo_steps 'Place vcad_part'
  end

  def test_a_part_goes_to_the_root_while_a_person_edits_inside_a_group
    group = @model.entities.add_group
    group.entities.add_line([0, 0, 0], [1, 0, 0])
    @model.active_path = [group]
    result = place('part', box(1, 1, 1), position: [10, 0, 0])

    assert_equal @model, entity(result).parent
  end

  def test_a_part_can_be_placed_inside_a_group
    group = @model.entities.add_group
    group.entities.add_line([0, 0, 0], [1, 0, 0])
    result = place('part', box(1, 1, 1), parent_id: group.entityID)

    assert_equal group.definition, entity(result).parent
    assert_refused 'ENTITY_NOT_FOUND', 'place_vcad_node', node_id: 'b', mesh_path: box(1, 1, 1),
                                                          parent_id: 999_999
  end

  def test_a_transformation_replaces_the_position
    turned = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 254, 0, 0, 1]
    result = place('part', box(10, 20, 30), transformation: turned)

    assert_box [234, 0, 0], [254, 10, 30], Vcad::Bridge::Millimetres.bounds(entity(result).bounds)
    assert_refused 'INVALID_PARAMS', 'place_vcad_node', node_id: 'b', mesh_path: box(1, 1, 1),
                                                        transformation: [0] * 16
  end

  def test_arguments_are_checked_before_anything_changes
    before = counts

    assert_refused 'INVALID_PARAMS', 'place_vcad_node', node_id: 'no spaces', mesh_path: box(1, 1, 1)
    assert_refused 'INVALID_PARAMS', 'place_vcad_node', node_id: 'a'
    assert_refused 'INVALID_PARAMS', 'place_vcad_node', node_id: 'a', mesh_path: box(1, 1, 1),
                                                        position: [1, 2]
    assert_refused 'PATH_NOT_ALLOWED', 'place_vcad_node', node_id: 'a', mesh_path: '../x.dae'
    assert_refused 'PATH_NOT_ALLOWED', 'place_vcad_node', node_id: 'a', mesh_path: box(1, 1, 1),
                                                          source_file: '/etc/x'
    assert_equal before, counts
  end

  def test_a_mesh_can_be_given_instead_of_a_file
    positions = ColladaBox.corners([10, 20, 30], [0, 0, 0]).flatten
    indices = ColladaBox::FACES.flat_map { |a, b, c, d| [a, b, c, a, c, d] }
    result = call('place_vcad_node', node_id: 'part', mesh: { positions:, indices: })

    assert result['manifold']
    assert_box [0, 0, 0], [10, 20, 30], result['bounds']
    soft, hard = entity(result).definition.entities.grep(Sketchup::Edge).partition(&:soft?)
    assert_equal [6, 12], [soft.length, hard.length]
  end

  def test_stl_is_accepted_when_its_unit_is_said
    path = File.join(@workspace, 'box.stl')
    File.write(path, stl(10, 20, 30))

    details = assert_refused('INVALID_PARAMS', 'place_vcad_node', node_id: 'a', mesh_path: path)
    assert_equal 'mesh_path', details['path']
    result = place('a', path, units: 'mm')
    assert_box [0, 0, 0], [10, 20, 30], result['bounds']
    assert result['manifold']
  end

  def test_a_mesh_that_collapses_is_reported
    positions = ColladaBox.corners([10, 20, 0.01], [0, 0, 0]).flatten
    indices = ColladaBox::FACES.flat_map { |a, b, c, d| [a, b, c, a, c, d] }
    result = call('place_vcad_node', node_id: 'part', mesh: { positions:, indices: })

    refute result['manifold']
    assert_includes result['warnings'], 'TOLERANCE_COLLAPSE'
  end

  def test_an_open_part_is_reported_as_collapsed_unless_it_was_open
    open_box = box(1, 1, 1, faces: ColladaBox::FACES.drop(1))

    assert_equal ['TOLERANCE_COLLAPSE'], place('a', open_box)['warnings']
    refute place('b', open_box, source_closed: false).key?('warnings')
  end

  def test_numbers_are_numbers
    result = place('part', box(10, 20, 30))

    assert(result['bounds'].values.flatten.all?(Numeric))
    row = call('list_vcad_nodes', placements: true).first
    assert(row['placements'].first['transformation'].all?(Numeric))
  end

  private

  def stl(*size)
    corners = ColladaBox.corners(size, [0, 0, 0])
    facets = ColladaBox::FACES.flat_map { |a, b, c, d| [[a, b, c], [a, c, d]] }.map do |triangle|
      points = corners.values_at(*triangle).map { |point| "vertex #{point.join(' ')}" }
      "facet normal 0 0 0\nouter loop\n#{points.join("\n")}\nendloop\nendfacet"
    end
    "solid box\n#{facets.join("\n")}\nendsolid box\n"
  end
end
