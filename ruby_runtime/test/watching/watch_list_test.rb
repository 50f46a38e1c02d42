# frozen_string_literal: true

require 'test_helper'
require_relative '../vcad_tools/tool_calls'

class WatchListTest < Minitest::Test
  include ToolCalls

  def setup
    super
    @placed = place('part', box(10, 10, 10))
    @id = @placed['entity_id']
  end

  def test_a_poll_before_the_start_tells_nothing
    answer = call('vcad.observer_poll')

    assert_equal [[], 0, 0, []],
                 answer.values_at('changed_entity_ids', 'dropped', 'queue_size', 'removed_entity_ids')
  end

  def test_starting_and_stopping_say_what_was_before
    assert_equal %w[started already_running],
                 [call('vcad.observer_start')['status'], call('vcad.observer_start')['status']]
    assert_equal %w[stopped not_running],
                 [call('vcad.observer_stop')['status'], call('vcad.observer_stop')['status']]
  end

  def test_the_move_of_a_person_is_told_once
    watch(@id)
    move(@id)

    assert_equal [[@id], [], 1], poll.values_at('changed_entity_ids', 'removed_entity_ids', 'queue_size')
    assert_empty poll['changed_entity_ids']
  end

  def test_a_change_of_something_else_is_not_told
    watch(@id)
    as_user { @model.entities.add_line([0, 0, 0], [1, 1, 1]) }

    assert_empty poll['changed_entity_ids']
  end

  def test_updates_of_the_bridge_are_silent
    watch(@id)
    place('part', box(20, 10, 10))
    call('update_vcad_node', node_id: 'part', mesh_path: box(30, 10, 10))
    call('set_vcad_instance', persistent_id: @placed['persistent_id'], layer: 'Frame',
                              transformation: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 10, 0, 0, 1])

    assert_equal [[], []], poll.values_at('changed_entity_ids', 'reverted_nodes')
  end

  def test_a_move_before_an_update_of_the_bridge_is_still_told
    watch(@id)
    move(@id)
    place('part', box(20, 10, 10))

    assert_equal [@id], poll['changed_entity_ids']
  end

  def test_a_failed_update_is_silent
    watch(@id)
    Headless.failures.order('import', 'partial')
    assert_refused('IMPORT_DEFINITION_NOT_FOUND', 'update_vcad_node', node_id: 'part',
                                                                      mesh_path: box(1, 1, 1))

    assert_empty poll['changed_entity_ids']
  end

  def test_a_removed_entity_stands_in_both_lists_and_returns_with_undo
    watch(@id)
    as_user { entity(@placed).erase! }

    assert_equal [[@id], [@id]], poll.values_at('changed_entity_ids', 'removed_entity_ids')
    Sketchup.undo
    assert_equal [[@id], []], poll.values_at('changed_entity_ids', 'removed_entity_ids')
  end

  def test_an_undone_update_is_told_as_reverted_once
    watch(@id)
    place('part', box(20, 10, 10))
    Sketchup.undo

    assert_equal [{ 'node_id' => 'part', 'version' => 1, 'applied_version' => 2 }], poll['reverted_nodes']
    assert_empty poll['reverted_nodes']
    Sketchup.redo
    assert_empty poll['reverted_nodes']
    Sketchup.undo
    assert_equal 1, poll['reverted_nodes'].length
  end

  def test_an_undone_placement_is_told_without_a_version
    watch
    place('second', box(1, 1, 1))
    Sketchup.undo

    assert_equal [{ 'node_id' => 'second', 'version' => nil, 'applied_version' => 1 }], poll['reverted_nodes']
  end

  def test_more_changes_than_fit_are_counted
    instances = Array.new(4) do
      call('place_vcad_node', node_id: 'part', mesh_path: box(1, 1, 1), if_exists: 'add_instance')
    end
    small_queue(3)
    watch(*instances.map { |one| one['entity_id'] })
    as_user { instances.each { |one| entity(one).transform!(Geom::Transformation.new([1, 0, 0])) } }

    assert_equal [3, 1, true], poll.values_at('queue_size', 'dropped', 'overflow')
  end

  def test_watching_says_what_is_missing
    call('vcad.observer_start')
    result = call('vcad.observer_watch', entity_ids: [@id, 99_999],
                                         persistent_ids: [@placed['persistent_id'], 88_888])

    assert_equal [1, [99_999, 88_888]], result.values_at('watching', 'missing')
  end

  def test_an_entity_that_is_being_edited_is_told_when_the_person_is_done
    group = @model.entities.add_group
    inner = group.entities.add_instance(entity(@placed).definition, Geom::Transformation.new([1, 0, 0]))
    group.transform!(Geom::Transformation.new([100, 0, 0]))
    watch(inner.entityID)
    @model.active_path = [group]

    assert_empty poll['changed_entity_ids']
    as_user { inner.transform!(Geom::Transformation.new([1, 0, 0])) }
    assert_empty poll['changed_entity_ids']
    @model.active_path = nil
    assert_equal [inner.entityID], poll['changed_entity_ids']
  end

  def test_entering_and_leaving_a_component_is_no_change
    group = @model.entities.add_group
    inner = group.entities.add_instance(entity(@placed).definition, Geom::Transformation.new([1, 0, 0]))
    group.transform!(Geom::Transformation.new([100, 0, 0]))
    watch(inner.entityID)
    @model.active_path = [group]
    poll
    @model.active_path = nil

    assert_empty poll['changed_entity_ids']
  end

  def test_without_a_list_what_a_person_moves_is_told
    call('vcad.observer_start')
    move(@id)

    assert_includes poll['changed_entity_ids'], @id
    place('part', box(20, 10, 10))
    assert_empty poll['changed_entity_ids']
  end

  def test_without_a_list_what_a_person_draws_and_erases_is_told
    call('vcad.observer_start')
    group = nil
    as_user { group = @model.entities.add_group.tap { |made| made.entities.add_line([0, 0, 0], [1, 0, 0]) } }
    id = group.entityID

    assert_includes poll['changed_entity_ids'], id
    as_user { group.entities.add_line([0, 0, 0], [0, 1, 0]) }
    assert_includes poll['changed_entity_ids'], id
    as_user { group.erase! }
    assert_includes poll['removed_entity_ids'], id
  end

  # The next client may be one that knows no lists.
  def test_a_list_ends_with_the_observer
    watch(@id)
    call('vcad.observer_stop')
    call('vcad.observer_start')
    line = nil
    as_user { line = @model.entities.add_line([0, 0, 0], [1, 1, 1]) }

    assert_includes poll['changed_entity_ids'], line.entityID
  end

  def test_another_document_is_told_once_and_ends_the_watching
    watch(@id)
    move(@id)
    @model = Headless.reset

    assert_equal [[], true], poll.values_at('changed_entity_ids', 'model_changed')
    assert_equal [[], false], poll.values_at('changed_entity_ids', 'model_changed')
    assert_equal 0, @services.watch_lists.of(nil).length
  end

  def test_a_new_document_in_the_same_object_is_another_document
    Headless.configuration.update(platform: 'windows')
    epoch = @journal.model_epoch
    watch(@id)
    @model.save(File.join(@workspace, 'first.skp'))
    Sketchup.file_new

    assert_operator @journal.model_epoch, :>, epoch
    assert poll['model_changed']
    placed = place('part', box(10, 10, 10))
    watch(placed['entity_id'])
    move(placed['entity_id'])
    assert_equal [placed['entity_id']], poll['changed_entity_ids']
  end

  def test_nothing_is_lost_while_the_client_is_away
    watch(@id)
    leave
    move(@id)

    assert_equal [@id], poll['changed_entity_ids']
  end

  def test_without_a_list_an_absence_means_that_anything_may_have_changed
    call('vcad.observer_start')
    leave
    move(@id)

    assert_equal [1, true], poll.values_at('dropped', 'overflow')
  end

  private

  def watch(*ids)
    call('vcad.observer_start')
    call('vcad.observer_watch', entity_ids: ids)
  end

  def poll
    call('vcad.observer_poll')
  end

  def move(id)
    as_user('Move') { @model.find_entity_by_id(id).transform!(Geom::Transformation.new([1, 2, 3])) }
  end

  def leave
    @services.hooks.run(:disconnected, @session)
    @now += 61
    @services.hooks.run(:tick)
  end

  def small_queue(limit)
    @services.watch_lists.close
    @services.watch_lists = watch_lists(limit)
    register
  end
end
