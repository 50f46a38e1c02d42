# frozen_string_literal: true

require 'test_helper'
require_relative '../vcad_tools/tool_calls'

# Two sessions at one SketchUp.
class WatchListsTest < Minitest::Test
  include ToolCalls

  def setup
    super
    @one, @other = Array.new(2) { |number| place("part#{number}", box(10, 10, 10))['entity_id'] }
  end

  def test_each_client_has_a_list_of_its_own
    watch('one', @one)
    watch('other', @other)
    watch(nil, @other)
    move(@one)

    assert_equal [[@one], [], []], %w[one other].push(nil).map { |client| poll(client) }
  end

  def test_what_one_has_heard_the_other_hears_as_well
    watch('one', @one)
    watch('other', @one)
    move(@one)

    assert_equal [[@one], [@one]], [poll('one'), poll('other')]
  end

  def test_one_that_stops_stops_nobody_else
    watch('one', @one)
    watch('other', @one)
    call('vcad.observer_stop', client: 'other')
    move(@one)

    assert_equal [[@one], []], [poll('one'), poll('other')]
  end

  def test_what_the_bridge_does_itself_nobody_is_told
    watch('one', @one)
    watch('other', @one)
    place('part0', box(20, 10, 10))

    assert_equal [[], []], [poll('one'), poll('other')]
  end

  def test_whoever_is_gone_for_a_minute_leaves_nothing_and_hears_of_it_when_he_comes_back
    watch('one', @one)
    answer = call('vcad.observer_poll', client: 'one')
    @services.hooks.run(:disconnected, @session)
    @now += 61
    @services.hooks.run(:tick)

    assert_equal 1, @services.watch_lists.length
    watch('one', @one)
    assert call('vcad.observer_poll', client: 'one', ack: answer['seq'])['overflow']
  end

  def test_a_name_of_no_letters_is_refused
    assert_refused('INVALID_PARAMS', 'vcad.observer_start', client: '')
  end

  private

  def watch(client, *ids)
    named = { client: }.compact
    call('vcad.observer_start', **named)
    call('vcad.observer_watch', entity_ids: ids, **named)
  end

  def poll(client)
    call('vcad.observer_poll', **{ client: }.compact)['changed_entity_ids']
  end

  def move(id)
    as_user('Move') { @model.find_entity_by_id(id).transform!(Geom::Transformation.new([1, 2, 3])) }
  end
end
