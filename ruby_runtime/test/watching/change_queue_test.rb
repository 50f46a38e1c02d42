# frozen_string_literal: true

require 'test_helper'
require 'vcad_bridge/watching/change_queue'

class ChangeQueueTest < Minitest::Test
  def setup
    @queue = Vcad::Bridge::Watching::ChangeQueue.new(3)
  end

  def test_each_id_is_told_once_however_often_it_changed
    3.times { @queue.changed(7) }
    @queue.changed(5)

    assert_equal [[7, 5], 2, 0], @queue.take.values_at('changed_entity_ids', 'queue_size', 'dropped')
    assert_empty @queue.take['changed_entity_ids']
  end

  def test_what_does_not_fit_is_counted_once
    (1..5).each { |id| @queue.changed(id) }
    first = @queue.take

    assert_equal [[1, 2, 3], 2, true], first.values_at('changed_entity_ids', 'dropped', 'overflow')
    assert_equal [0, false], @queue.take.values_at('dropped', 'overflow')
  end

  def test_a_lost_answer_is_told_again
    @queue.changed(1)
    first = @queue.take(0)
    @queue.changed(2)
    again = @queue.take(0)

    assert_equal [1], first['changed_entity_ids']
    assert_equal [1, 2], again['changed_entity_ids']
    assert_empty @queue.take(again['seq'])['changed_entity_ids']
  end

  def test_without_acknowledgement_nothing_is_told_twice
    @queue.changed(1)
    @queue.take
    @queue.changed(2)

    assert_equal [2], @queue.take['changed_entity_ids']
  end

  def test_an_acknowledgement_from_before_the_memory_is_an_overflow
    100.times do |id|
      @queue.changed(id)
      @queue.take
    end

    assert @queue.take(1)['overflow']
    refute @queue.take(100)['overflow']
  end

  def test_persistent_ids_stand_beside_where_they_are_known
    @queue.changed(4, persistent_id: 40)
    @queue.changed(5)
    first = @queue.take(0)
    @queue.changed(6, persistent_id: 60, removed: true)

    assert_equal [[4, 5], [40]], first.values_at('changed_entity_ids', 'changed_persistent_ids')
    again = @queue.take(0)
    assert_equal [[4, 5, 6], [40, 60]], again.values_at('changed_entity_ids', 'changed_persistent_ids')
  end

  def test_a_removed_id_stands_in_both_lists
    @queue.changed(4, removed: true)
    answer = @queue.take

    assert_equal [[4], [4]], answer.values_at('changed_entity_ids', 'removed_entity_ids')
  end

  def test_an_id_that_came_back_is_not_told_as_removed
    @queue.changed(4, removed: true)
    @queue.changed(4)

    assert_equal [[4], []], @queue.take.values_at('changed_entity_ids', 'removed_entity_ids')
  end

  def test_another_document_is_told_once_and_forgets_the_rest
    @queue.changed(1)
    @queue.model_changed
    answer = @queue.take

    assert_equal [[], true], answer.values_at('changed_entity_ids', 'model_changed')
    refute @queue.take['model_changed']
  end
end
