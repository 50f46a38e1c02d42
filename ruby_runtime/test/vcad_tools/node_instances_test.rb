# frozen_string_literal: true

require 'test_helper'
require_relative 'tool_calls'

class NodeInstancesTest < Minitest::Test
  include ToolCalls

  AT_100 = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 100, 0, 0, 1].freeze
  AT_200 = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 200, 0, 0, 1].freeze

  def test_a_definition_without_instances_survives
    result = call('upsert_vcad_definition', node_id: 'leg', mesh_path: box(10, 20, 30), revision: 4)

    assert_equal [true, 0, 1, 4, true],
                 result.values_at('created', 'replaced_instances', 'version', 'revision', 'manifold')
    assert_equal(['vcad_leg'], call('list_vcad_nodes').map { |row| row['name'] })
    assert_undo_steps 'Define vcad_leg'
  end

  def test_a_definition_is_replaced_with_its_instances
    define('leg', 10)
    one = put('leg', 'leg-1')
    result = define('leg', 20)

    assert_equal [false, 1, 2], result.values_at('created', 'replaced_instances', 'version')
    assert_in_delta 20, Vcad::Bridge::Millimetres.bounds(entity(one).bounds)['max'][0] - 100
  end

  def test_an_instance_is_placed_once
    define('leg', 10)
    first = put('leg', 'leg-1', layer: 'Frame', material: 'Oak')
    entity(first).transform!(Geom::Transformation.new([1, 0, 0]))
    second = put('leg', 'leg-1', transformation: AT_200)

    assert_equal [true, false], [first['created'], second['created']]
    assert_equal first['entity_id'], second['entity_id']
    assert_equal 1, @model.entities.length
    assert_box [125.4, 0, 0], [135.4, 10, 10], second['bounds']
    assert_equal 'leg-1', entity(first).get_attribute('vcad', 'instance_id')
  end

  def test_the_copy_of_a_person_is_not_taken_for_ours
    define('leg', 10)
    ours = put('leg', 'leg-1')
    copy = @model.entities.add_instance(entity(ours).definition, Geom::Transformation.new([9, 0, 0]))
    copy.set_attribute('vcad', 'instance_id', 'leg-1')

    assert_equal ours['entity_id'], put('leg', 'leg-1')['entity_id']
    entity(ours).erase!
    again = put('leg', 'leg-1', copies: [copy.persistent_id])
    assert again['created']
    refute_equal copy.entityID, again['entity_id']
    assert copy.valid?
  end

  def test_each_call_is_one_undo_step
    define('leg', 10)
    one = put('leg', 'leg-1', layer: 'Frame')
    change(one, transformation: AT_200, layer: 'Other', material: 'Oak')
    call('remove_vcad_instance', persistent_id: one['persistent_id'])

    assert_undo_steps 'Define vcad_leg', 'Place leg-1', 'Change leg-1', 'Remove leg-1'
  end

  def test_an_instance_takes_what_is_given_and_keeps_the_rest
    define('leg', 10)
    one = put('leg', 'leg-1', layer: 'Frame', material: 'Oak')
    result = change(one, transformation: AT_200)

    assert_box [200, 0, 0], [210, 10, 10], result['bounds']
    assert_equal %w[Frame Oak], [entity(one).layer.name, entity(one).material.name]
    change(one, layer: '', material: '')
    assert_equal @model.layers[0], entity(one).layer
    assert_nil entity(one).material
  end

  def test_a_locked_instance_is_changed_and_stays_locked
    define('leg', 10)
    one = put('leg', 'leg-1')
    entity(one).locked = true
    change(one, transformation: AT_200, layer: 'Frame')

    assert entity(one).locked?
    assert_box [200, 0, 0], [210, 10, 10], Vcad::Bridge::Millimetres.bounds(entity(one).bounds)
    call('remove_vcad_instance', persistent_id: one['persistent_id'])
    assert_empty @model.entities.to_a
  end

  def test_an_instance_inside_an_open_group_is_set_in_the_groups_coordinates
    define('leg', 10)
    group = @model.entities.add_group
    inner = group.entities.add_instance(entity(put('leg', 'leg-1')).definition, Geom::Transformation.new)
    group.transform!(Geom::Transformation.new([50, 0, 0]))
    @model.active_path = [group]
    call('set_vcad_instance', persistent_id: inner.persistent_id, transformation: AT_100)
    seen = call('list_vcad_nodes', placements: true).first['placements'].map do |row|
      row['transformation'][12]
    end
    @model.active_path = nil

    assert_in_delta 100, inner.transformation.origin.x.to_f * 25.4
    seen.each { |x| assert_in_delta 100, x }
  end

  def test_what_is_not_an_instance_of_a_node_is_left_alone
    group = @model.entities.add_group
    group.entities.add_line([0, 0, 0], [1, 0, 0])

    assert_refused 'INVALID_PARAMS', 'remove_vcad_instance', persistent_id: group.persistent_id
    assert_refused 'ENTITY_NOT_FOUND', 'set_vcad_instance', persistent_id: 123_456, layer: 'A'
    assert_refused 'NODE_NOT_FOUND', 'place_vcad_instance', node_id: 'x', instance_id: 'x-1',
                                                            transformation: AT_100
    assert group.valid?
  end

  def test_a_node_is_removed_with_its_instances_in_one_step
    define('leg', 10)
    put('leg', 'leg-1')
    entity(put('leg', 'leg-2')).locked = true
    result = call('remove_vcad_node', node_id: 'leg')

    assert_equal 2, result['removed_instances']
    assert_empty call('list_vcad_nodes')
    assert_empty @model.entities.to_a
    call('undo')
    assert_equal 2, call('get_vcad_node', node_id: 'leg')['instances']
  end

  def test_rows_tell_where_each_instance_stands
    define('leg', 10)
    one = put('leg', 'leg-1', layer: 'Frame')
    row = call('list_vcad_nodes', placements: true).first
    placement = row['placements'].first

    assert_equal [1, [one['entity_id']], [one['persistent_id']]],
                 row.values_at('instances', 'entity_ids', 'persistent_ids')
    assert_equal ['leg-1', AT_100, 'Frame', nil, false, nil],
                 placement.values_at('instance_id', 'transformation', 'layer', 'material', 'locked',
                                     'parent_id')
  end

  private

  def define(node_id, size)
    call('upsert_vcad_definition', node_id:, mesh_path: box(size, 10, 10))
  end

  def put(node_id, instance_id, transformation: AT_100, **arguments)
    call('place_vcad_instance', node_id:, instance_id:, transformation:,
                                **arguments)
  end

  def change(instance, **arguments)
    call('set_vcad_instance', persistent_id: instance['persistent_id'], **arguments)
  end
end
