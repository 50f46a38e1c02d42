# frozen_string_literal: true

require 'test_helper'
require_relative 'tool_calls'

# Whose a node is: two projects in one model.
class ProjectIdentityTest < Minitest::Test
  include ToolCalls

  HERE = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1].freeze
  ONE = { project_id: 'p1', digest: 'd1', pushed_by: 's-1' }.freeze
  TWO = { project_id: 'p2', digest: 'd2', pushed_by: 's-2' }.freeze

  def test_definition_and_instance_say_whose_they_are_and_what_they_show
    define('a', 10, **ONE)
    instance = entity(put('a', 'a-1', project_id: 'p1'))

    assert_equal({ 'node_id' => 'a', 'source_file' => '', 'version' => 1, 'project_id' => 'p1',
                   'digest' => 'd1', 'pushed_by' => 's-1' }, marks(instance.definition))
    assert_equal({ 'instance_id' => 'a-1', 'project_id' => 'p1', 'node_id' => 'a', 'digest' => 'd1',
                   'pushed_by' => 's-1', 'version' => 1 }, marks(instance))
    define('a', 20, **ONE, digest: 'd9', pushed_by: 's-9')
    assert_equal %w[d9 s-9], marks(instance).values_at('digest', 'pushed_by')
    assert_equal ['p1', 'd9', 's-9', 2],
                 marks(instance.definition).values_at('project_id', 'digest', 'pushed_by', 'version')
    call('undo')
    assert_equal ['d1', 1], marks(instance).values_at('digest', 'version')
  end

  def test_a_second_projects_part_of_the_same_name_is_a_definition_of_its_own
    define('a', 10, **ONE)
    first = put('a', 'a-1', project_id: 'p1')
    made = define('a', 30, **TWO)
    second = put('a', 'a-1', project_id: 'p2')

    assert_equal [true, 1, 'vcad_a#1'], made.values_at('created', 'version', 'definition_name')
    assert second['created']
    refute_equal first['persistent_id'], second['persistent_id']
    assert_equal([10, 30], [first, second].map { |one| width(one) })
    assert_equal(['p1'], call('list_vcad_nodes', project_id: 'p1').map { |row| row['project_id'] })
    assert_equal(%w[p1 p2], call('list_vcad_nodes').map { |row| row['project_id'] })
    assert_equal 1, call('get_vcad_node', node_id: 'a', project_id: 'p2')['instances']
    assert_refused 'NODE_AMBIGUOUS', 'get_vcad_node', node_id: 'a'
  end

  def test_nobody_elses_part_is_changed_or_removed
    define('a', 10, **ONE)
    mine = put('a', 'a-1', project_id: 'p1')
    before = counts

    [TWO.slice(:project_id), {}].each do |other|
      assert_refused 'NODE_NOT_FOUND', 'remove_vcad_node', node_id: 'a', **other
      assert_refused 'NODE_NOT_FOUND', 'update_vcad_node', node_id: 'a', mesh_path: box(5, 5, 5), **other
      assert_refused 'NODE_NOT_FOUND', 'place_vcad_instance', node_id: 'a', instance_id: 'x',
                                                              transformation: HERE, **other
      other = { persistent_id: mine['persistent_id'], **other }
      assert_refused 'ENTITY_NOT_FOUND', 'set_vcad_instance', layer: 'A', **other
      assert_refused 'ENTITY_NOT_FOUND', 'remove_vcad_instance', **other
    end
    assert_equal before, counts
    assert_equal 1, call('remove_vcad_node', node_id: 'a', project_id: 'p1')['removed_instances']
  end

  def test_a_client_that_knows_no_projects_has_parts_of_its_own
    define('a', 10, **ONE)
    legacy = place('a', box(7, 7, 7))

    assert legacy['created']
    assert_equal 'vcad_a#1', legacy['definition_name']
    assert_equal %w[node_id source_file version], marks(entity(legacy).definition).keys.sort
    assert_equal 2, call('update_vcad_node', node_id: 'a', mesh_path: box(8, 8, 8))['version']
    assert_equal 8, width(legacy)
  end

  def test_what_was_there_before_projects_is_adopted_as_it_stands
    first = put_legacy('a', 10)
    row = call('list_vcad_nodes', project_id: 'p1').first
    assert_nil row['project_id']
    refused = { node_id: 'a', definition_persistent_id: 1, **ONE }
    assert_refused 'NODE_NOT_FOUND', 'adopt_vcad_node', **refused
    adopted = call('adopt_vcad_node', **refused,
                   definition_persistent_id: row['definition_persistent_id'])

    assert_equal ['p1', 'd1', 1], adopted.values_at('project_id', 'digest', 'version')
    assert_equal row['persistent_ids'], adopted['persistent_ids']
    assert_equal 'p1', marks(entity(first))['project_id']
    assert_equal 'Adopt vcad_a', @model.headless_journal.undo_names.last
    assert_refused 'NODE_NOT_FOUND', 'adopt_vcad_node', **refused,
                   definition_persistent_id: row['definition_persistent_id'], project_id: 'p2'
  end

  def test_geometry_without_a_digest_takes_none_over_from_what_it_replaces
    define('a', 10, **ONE)
    define('a', 20, project_id: 'p1')

    row = call('list_vcad_nodes', project_id: 'p1').first
    assert_equal ['p1', nil, nil, 2], row.values_at('project_id', 'digest', 'pushed_by', 'version')
  end

  def test_an_undone_part_is_told_of_with_its_project
    define('a', 10, **ONE)
    define('a', 10, **TWO)
    call('vcad.observer_start')
    define('a', 20, **TWO)
    call('undo')

    assert_equal([{ 'node_id' => 'a', 'version' => 1, 'applied_version' => 2, 'project_id' => 'p2' }],
                 call('vcad.observer_poll')['reverted_nodes'])
  end

  def test_an_instance_that_a_person_has_show_anothers_part_stays_its_owners
    define('a', 10, **ONE)
    define('a', 30, **TWO)
    one = entity(put('a', 'a-1', project_id: 'p1'))
    one.definition = @model.definitions['vcad_a#1']

    row = call('list_vcad_nodes', project_id: 'p2', placements: true).first
    assert_equal(%w[p1], row['placements'].map { |placement| placement['project_id'] })
    made = put('a', 'a-1', project_id: 'p2')
    assert made['created']
    refute_equal one.persistent_id, made['persistent_id']
    define('a', 40, **TWO)
    assert_equal %w[p1 d1], marks(one).values_at('project_id', 'digest')
  end

  def test_to_a_project_the_part_of_another_is_a_solid_like_any
    define('a', 10, **ONE)
    id = put('a', 'a-1', project_id: 'p1')['persistent_id']
    sources = ['p1', 'p2', nil].map do |asking|
      call('resolve_vcad_import', persistent_id: id, extract: 'solid', project_id: asking)['source']
    end

    assert_equal %w[vcad native_mesh vcad], sources
  end

  private

  def define(node_id, size, **whose)
    call('upsert_vcad_definition', node_id:, mesh_path: box(size, 10, 10), **whose)
  end

  def put(node_id, instance_id, **whose)
    call('place_vcad_instance', node_id:, instance_id:, transformation: HERE, **whose)
  end

  def put_legacy(node_id, size)
    define(node_id, size)
    put(node_id, "#{node_id}-1")
  end

  def marks(entity)
    dictionary = entity.attribute_dictionary('vcad')
    dictionary.keys.to_h { |key| [key, dictionary[key]] }
  end

  def width(instance)
    bounds = Vcad::Bridge::Millimetres.bounds(entity(instance).definition.bounds)
    (bounds['max'][0] - bounds['min'][0]).round(3)
  end
end
