# frozen_string_literal: true

require 'test_helper'
require_relative 'tool_calls'

class HistoryToolsTest < Minitest::Test
  include ToolCalls

  def test_undo_and_redo_walk_the_steps
    place('part', box(1, 1, 1))
    place('part', box(2, 2, 2))
    result = call('undo', steps: 2)

    assert_equal [true, 2, @journal.model_revision], result.values_at('success', 'steps', 'model_revision')
    assert_empty call('list_vcad_nodes')
    call('redo', steps: 2)
    assert_equal 2, call('get_vcad_node', node_id: 'part')['version']
  end

  def test_undo_is_refused_when_somebody_worked_in_between
    place('part', box(1, 1, 1))
    known = @journal.model_revision
    as_user { @model.entities.add_line([0, 0, 0], [1, 1, 1]) }
    details = assert_refused('STATE_CHANGED', 'undo', steps: 1, expected_model_revision: known)

    assert_equal [known, known + 1], details.values_at('expected_model_revision', 'model_revision')
    assert_equal 1, call('list_vcad_nodes').length
  end

  def test_more_steps_than_there_are_is_told
    place('part', box(1, 1, 1))
    result = call('undo', steps: 5)

    assert_equal [false, 1], result.values_at('success', 'steps')
  end

  def test_steps_are_counted_from_one
    assert_refused 'INVALID_PARAMS', 'undo', steps: 0
  end
end
