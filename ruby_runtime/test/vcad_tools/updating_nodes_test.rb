# frozen_string_literal: true

require 'test_helper'
require_relative 'tool_calls'

class UpdatingNodesTest < Minitest::Test
  include ToolCalls

  MIRRORED = [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 40, 0, 0, 1].freeze

  def setup
    super
    @placed = place('part', box(10, 10, 10), position: [1, 2, 3])
    @definition = entity(@placed).definition
  end

  def test_every_instance_keeps_what_it_is_wherever_it_lives
    instances = dressed_instances
    before = instances.map { |instance| description(instance) }
    result = update(box(20, 30, 40))

    assert_equal before, (instances.map { |instance| description(instance) })
    assert_equal instances.map(&:entityID).sort, result['entity_ids'].sort
    assert_equal instances.map(&:persistent_id).sort, result['persistent_ids'].sort
    assert_equal [3, 2], result.values_at('replaced_instances', 'version')
  end

  def test_every_instance_shows_the_new_geometry_after_one_step
    instances = dressed_instances
    @model.headless_journal.forget
    update(box(20, 30, 40))

    instances.each do |instance|
      assert_box [0, 0, 0], [20, 30, 40], Vcad::Bridge::Millimetres.bounds(instance.definition.bounds)
    end
    assert_undo_steps 'Update vcad_part'
  end

  def test_one_undo_brings_back_version_and_geometry
    update(box(20, 30, 40))
    call('undo')
    node = call('get_vcad_node', node_id: 'part')

    assert_equal [1, 'vcad_part', [@placed['entity_id']]], node.values_at('version', 'name', 'entity_ids')
    assert_box [0, 0, 0], [10, 10, 10], node['bounds']
    call('redo')
    assert_equal 2, call('get_vcad_node', node_id: 'part')['version']
  end

  %w[flat wrapped multi].each do |structure|
    define_method("test_no_definition_is_left_over_when_the_importer_gives_#{structure}") do
      Headless.configuration.update(dae_structure: structure)
      before = @model.definitions.length
      3.times { |index| update(box(20 + index, 10, 10)) }

      assert_equal before, @model.definitions.length
      assert_equal 'vcad_part', call('get_vcad_node', node_id: 'part')['name']
    end
  end

  def test_a_locked_instance_is_swapped_and_stays_locked
    entity(@placed).locked = true
    update(box(20, 10, 10))

    assert entity(@placed).locked?
    assert_in_delta 20, call('get_vcad_node', node_id: 'part')['bounds']['max'][0]
  end

  def test_a_host_that_raises_for_locked_instances_makes_no_difference
    Headless.configuration.update(lock_mode: 'raise')
    entity(@placed).locked = true

    assert_equal 1, update(box(20, 10, 10))['replaced_instances']
    assert entity(@placed).locked?
  end

  def test_a_mirrored_instance_stays_mirrored
    mirrored = @model.entities.add_instance(@definition, Vcad::Bridge::Millimetres.transformation(MIRRORED))
    update(box(20, 10, 10))

    assert_equal MIRRORED, Vcad::Bridge::Millimetres.matrix(mirrored.transformation)
  end

  def test_an_instance_open_for_editing_refuses_unless_forced
    @model.active_path = [entity(@placed)]
    details = assert_refused('BUSY_EDITING', 'update_vcad_node', node_id: 'part', mesh_path: box(20, 10, 10))

    assert_equal [@placed['entity_id']], details['entity_ids']
    assert_equal 2, update(box(20, 10, 10), force: true)['version']
    assert_nil @model.active_path
  end

  def test_what_a_person_gave_the_definition_is_carried_over
    @definition.description = 'Kept'
    @definition.set_attribute('supplier', 'price', 12.5)
    @definition.behavior.always_face_camera = true
    update(box(20, 10, 10), source_file: 'new.cmp.oo')
    definition = entity(@placed).definition

    assert_equal ['Kept', 12.5], [definition.description, definition.get_attribute('supplier', 'price')]
    assert definition.behavior.always_face_camera?
    assert_equal 'new.cmp.oo', definition.get_attribute('vcad', 'source_file')
  end

  def test_materials_from_earlier_imports_survive
    kept = @model.materials.to_a
    update(box(20, 10, 10))

    assert_empty kept - @model.materials.to_a
  end

  def test_a_copy_made_unique_is_ambiguous_until_forced
    copy = @model.entities.add_instance(@definition, Geom::Transformation.new)
    copy.make_unique
    details = assert_refused('NODE_AMBIGUOUS', 'update_vcad_node', node_id: 'part',
                                                                   mesh_path: box(20, 10, 10))

    assert_equal [@placed['entity_id'], copy.entityID].sort, details['entity_ids'].sort
    assert_refused('NODE_AMBIGUOUS', 'get_vcad_node', node_id: 'part')
    assert_equal 2, update(box(20, 10, 10), force: true)['replaced_instances']
    assert_equal copy.definition, entity(@placed).definition
    assert_equal 1, call('list_vcad_nodes').length
  end

  def test_an_unknown_node_is_not_found
    details = assert_refused('NODE_NOT_FOUND', 'update_vcad_node', node_id: 'other', mesh_path: box(1, 1, 1))

    assert_equal 'other', details['node_id']
  end

  def test_five_hundred_instances_change_in_one_step
    499.times { |index| @model.entities.add_instance(@definition, Geom::Transformation.new([index, 0, 0])) }
    @model.headless_journal.forget
    result = update(box(20, 10, 10))

    assert_equal 500, result['replaced_instances']
    assert_undo_steps 'Update vcad_part'
    call('undo')
    assert_equal [1, 500], call('get_vcad_node', node_id: 'part').values_at('version', 'instances')
  end

  private

  def update(mesh_path, **arguments)
    call('update_vcad_node', node_id: 'part', mesh_path:, **arguments)
  end

  def inside_a_group
    group = @model.entities.add_group
    group.entities.add_instance(@definition, Geom::Transformation.new([3, 0, 0]))
  end

  # @return [Array<Sketchup::ComponentInstance>] one instance, seen twice
  def inside_a_component_used_twice
    assembly = @model.definitions.add('Assembly')
    instance = assembly.entities.add_instance(@definition, Geom::Transformation.new([0, 4, 0]))
    2.times { |index| @model.entities.add_instance(assembly, Geom::Transformation.new([10 * index, 0, 0])) }
    [instance]
  end

  # At the root, in a group, and in a component used twice.
  def dressed_instances
    instances = [entity(@placed), inside_a_group, *inside_a_component_used_twice]
    instances.each_with_index { |instance, index| dress(instance, index) }
  end

  def dress(instance, index)
    instance.layer = @model.layers.add("Layer #{index}")
    instance.material = @model.materials.add("Material #{index}")
    instance.name = "Name #{index}"
    instance.set_attribute('own', 'number', index)
    instance.locked = index.odd?
  end

  def description(instance)
    [instance.entityID, instance.persistent_id, instance.transformation.to_a, instance.layer.name,
     instance.material.name, instance.name, instance.locked?, instance.get_attribute('own', 'number')]
  end
end
