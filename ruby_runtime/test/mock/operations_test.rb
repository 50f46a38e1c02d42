# frozen_string_literal: true

require_relative 'model_case'

# Operations and the undo stack.
class ModelOperationsTest < ModelCase
  def test_a_second_start_commits_the_first
    model.start_operation('First', true)
    place(box_definition)
    model.start_operation('Second', true)
    model.materials.add('paint')

    assert model.abort_operation
    assert_equal ['First'], undo_names
    assert_equal 1, model.entities.size
    assert_empty model.materials.to_a
  end

  def test_abort_with_nothing_open_is_harmless
    place(box_definition)
    before = state

    refute model.abort_operation
    refute model.commit_operation
    assert_equal before, state
  end

  def test_every_change_outside_an_operation_is_an_entry_of_its_own
    definition = box_definition
    instance = place(definition)
    instance.name = 'first'
    instance.name = 'second'

    assert_equal 5, undo_names.size
    undo
    assert_equal 'first', instance.name
    2.times { undo }
    assert_predicate instance, :deleted?
    assert_predicate definition, :valid?
  end

  def test_all_changes_of_an_operation_are_one_entry
    before = state.merge(modified: true)
    instance = nil
    operation('Build') do
      instance = place(box_definition)
      instance.name = 'x'
      instance.layer = model.layers.add('walls')
      instance.set_attribute('d', 'k', [1, 'two'])
      model.set_attribute('m', 'k', 1.5)
    end
    after = state

    assert_equal ['Build'], undo_names
    undo
    assert_equal before, state
    redo!
    assert_equal after, state
    assert_equal [1, 'two'], instance.get_attribute('d', 'k')
  end

  def test_abort_restores_everything
    definition = box_definition('old')
    kept = place(definition)
    paint = model.materials.add('paint')
    layer = model.layers.add('walls')
    kept.set_attribute('d', 'k', 'v')
    model.selection.add(kept)
    before = state
    model.start_operation('Work', true)
    change_all_sorts(kept, definition, paint, layer)

    refute_equal before, state
    assert model.abort_operation
    assert_equal before, state
  end

  def change_all_sorts(kept, definition, paint, layer)
    kept.definition = box_definition('new', [2, 2, 2])
    kept.transformation = translation(1, 2, 3)
    kept.set_attribute('d', 'k', 'w')
    kept.delete_attribute('d')
    kept.layer = layer
    kept.material = paint
    definition.name = 'renamed'
    definition.entities.grep(Sketchup::Edge).first.erase!
    definition.entities.grep(Sketchup::Face).first.reverse!
    model.layers.remove(layer)
    model.materials.remove(paint)
    model.definitions.remove(definition)
    model.entities.add_group(kept)
    model.selection.clear
    kept.erase!
  end

  def test_a_new_change_ends_the_redo_part
    model.materials.add('one')
    undo
    model.materials.add('two')

    refute redo!
    assert_equal %w[two], model.materials.map(&:name)
  end

  def test_undo_and_redo_with_nothing_left_answer_false
    refute undo
    refute redo!
  end

  def test_an_operation_without_changes_leaves_no_entry
    operation('Nothing') { model.entities.to_a }

    assert_empty undo_names
    refute_predicate model, :modified?
  end

  def test_a_transparent_operation_joins_the_entry_before_it
    operation('First') { model.materials.add('one') }
    model.start_operation('Second', true, false, true)
    model.materials.add('two')
    model.commit_operation

    assert_equal ['First'], undo_names
    undo
    assert_empty model.materials.to_a
    redo!
    assert_equal %w[one two], model.materials.map(&:name)
  end

  def test_aborting_a_transparent_operation_takes_the_entry_before_it_along
    operation('First') { model.materials.add('one') }
    model.start_operation('Second', true, false, true)
    model.materials.add('two')
    model.abort_operation

    assert_empty model.materials.to_a
    assert_empty undo_names
  end

  def test_next_transparent_chains_the_following_operation
    model.start_operation('First', true, true)
    model.materials.add('one')
    model.commit_operation
    operation('Second') { model.materials.add('two') }

    assert_equal ['First'], undo_names
  end

  def test_opening_a_component_splits_an_operation_that_is_undone_as_one
    outer = place(box_definition)
    log = TransactionLog.new
    before = state
    count = undo_names.size
    model.add_observer(log)
    operation('Work') do
      model.materials.add('one')
      model.active_path = [outer]
      model.materials.add('two')
      model.active_path = nil
    end

    assert_equal count + 1, undo_names.size
    assert_operator log.calls.count(:onTransactionCommit), :>=, 2
    undo
    assert_equal before, state
  end

  # Remembers the names of the calls.
  class TransactionLog
    attr_reader :calls

    def initialize
      @calls = []
    end

    %i[onTransactionStart onTransactionCommit onTransactionEmpty onTransactionAbort].each do |name|
      define_method(name) { |_model| @calls << name }
    end
  end

  def test_the_host_keeps_a_hundred_entries
    120.times { |number| model.materials.add("m#{number}") }

    assert_equal 100, undo_names.size
    100.times { assert undo }
    refute undo
    assert_equal 20, model.materials.size
  end

  def test_move_without_undo_record_is_taken_back_by_abort_only
    instance = place(box_definition)
    count = undo_names.size
    instance.move!(translation(5, 0, 0))

    assert_equal count, undo_names.size
    model.start_operation('Work', true)
    instance.move!(translation(9, 0, 0))
    model.abort_operation
    assert_in_delta 5.0, instance.transformation.origin.x.to_f
  end

  def test_no_operation_can_start_while_entities_are_built
    assert_raises(RuntimeError) do
      model.entities.build { |_builder| model.start_operation('x') }
    end
    refute model.abort_operation
  end

  def test_five_hundred_instances_swap_within_a_tenth_of_a_second
    first = box_definition('first')
    second = box_definition('second', [4, 4, 4])
    instances = Array.new(500) { |number| place(first, translation(number, 0, 0)) }
    started = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    operation { instances.each { |instance| instance.definition = second } }

    assert_operator Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - started, :<, 0.1
    undo
    assert_equal instances, first.instances
    assert_empty second.instances
  end
end
