# frozen_string_literal: true

require_relative 'model_case'

# What observers hear, and when.
class ModelObserversTest < ModelCase
  # Writes down every call of the host's callbacks.
  class Log
    attr_reader :lines

    CALLBACKS = %i[
      onTransactionStart onTransactionCommit onTransactionUndo onTransactionRedo onTransactionAbort
      onTransactionEmpty onActivePathChanged onElementAdded onElementModified onElementRemoved
      onComponentAdded onComponentRemoved onComponentPropertiesChanged onComponentInstanceAdded
      onComponentInstanceRemoved onSelectionAdded onSelectionRemoved onSelectionBulkChange
      onSelectionCleared onChangeEntity onEraseEntity onOpen onClose
    ].freeze

    def initialize
      @lines = []
    end

    CALLBACKS.each do |name|
      define_method(name) do |*arguments|
        shown = arguments.drop(1).map { |one| shown(one) }
        @lines << [name, *shown].join(' ')
      end
    end

    def shown(thing)
      return thing.to_s if thing.is_a?(Integer)
      return 'gone' if thing.is_a?(Sketchup::Entity) && thing.deleted?

      thing.respond_to?(:name) ? thing.name : thing.class.name.split('::').last
    end

    def take
      @lines.slice!(0..)
    end
  end

  def setup
    super
    @log = Log.new
    @old = box_definition('old')
    @new = box_definition('new')
    [model, model.entities, model.definitions, @old, @new].each { |subject| subject.add_observer(@log) }
  end

  def teardown
    unexpected = Headless::Observers.errors.reject { |text| text.end_with?('RuntimeError: no') }
    assert_empty unexpected
  end

  def test_placing_is_told_in_order
    operation do
      instance = place(@old)
      instance.name = 'north'
    end

    assert_equal ['onTransactionStart', 'onElementAdded north', 'onComponentInstanceAdded north',
                  'onTransactionCommit'], @log.take
  end

  def test_update_is_told_in_order
    instance = place(@old)
    instance.name = 'north'
    @log.take
    operation do
      instance.definition = @new
      model.definitions.remove(@old)
    end

    assert_equal ['onTransactionStart', 'onComponentInstanceRemoved north', 'onComponentInstanceAdded north',
                  'onElementModified north', 'onComponentRemoved gone', 'onComponentRemoved gone',
                  'onEraseEntity', 'onTransactionCommit'], @log.take
  end

  def test_a_users_move_its_undo_and_redo
    instance = place(@old)
    instance.name = 'north'
    instance.add_observer(@log)
    @log.take
    instance.transformation = translation(1, 0, 0)

    assert_equal ['onTransactionStart', 'onElementModified north', 'onChangeEntity', 'onTransactionCommit'],
                 @log.take
    undo
    assert_equal ['onElementModified north', 'onChangeEntity', 'onTransactionUndo'], @log.take
    redo!
    assert_equal ['onElementModified north', 'onChangeEntity', 'onTransactionRedo'], @log.take
  end

  def test_abort_is_told_by_itself
    model.start_operation('Work', true)
    place(@old)
    model.abort_operation

    assert_equal %w[onTransactionStart onTransactionAbort], @log.take
  end

  def test_removal_hands_over_the_id
    instance = place(@old)
    id = instance.entityID
    instance.add_observer(@log)
    @log.take
    instance.erase!

    assert_equal ['onTransactionStart', 'onEraseEntity', "onElementRemoved #{id}",
                  'onComponentInstanceRemoved gone', 'onTransactionCommit'], @log.take
    undo
    assert_equal ['onComponentInstanceAdded ', 'onElementAdded ', 'onTransactionUndo'], @log.take
  end

  def test_an_operation_without_changes_is_told_as_empty
    operation { model.entities.to_a }

    assert_equal %w[onTransactionStart onTransactionEmpty], @log.take
  end

  def test_opening_a_component_is_told_to_it_and_to_the_model
    instance = place(@old)
    instance.add_observer(@log)
    @log.take
    model.active_path = [instance]
    model.active_path = nil

    assert_equal %w[onOpen onActivePathChanged onClose onActivePathChanged], @log.take
  end

  def test_selection_is_told_at_once
    first = place(@old)
    second = place(@old)
    model.selection.add_observer(@log)
    @log.take
    model.selection.add(first)
    model.selection.add(second, first)
    model.selection.add(model.definitions.add('x').entities.add_group, place(@old))
    model.selection.remove(first)
    model.selection.clear

    told = @log.take.grep(/onSelection/)
    assert_equal %w[Added Added BulkChange Removed Cleared].map { |kind| "onSelection#{kind}" },
                 told.map { |line| line.split.first }
  end

  def test_an_observer_that_raises_is_on_record_and_stops_nobody
    model.add_observer(Class.new { def onTransactionCommit(_model) = raise('no') }.new)
    place(@old)

    assert_equal 1, Headless::Observers.errors.size
    assert_match(/onTransactionCommit: RuntimeError: no/, Headless::Observers.errors.first)
    assert_includes @log.take, 'onTransactionCommit'
  end

  def test_a_change_inside_a_callback_is_on_record
    Headless.host.observer_mutation = false
    observer = Class.new do
      def onTransactionCommit(model)
        model.materials.add('more') if model.materials.to_a.empty?
      end
    end
    model.add_observer(observer.new)
    place(@old)

    assert Headless.host.observer_mutation
    assert_equal 1, model.materials.size
  end

  def test_observers_are_added_once_and_removed
    observer = Object.new

    assert model.add_observer(observer)
    refute model.add_observer(observer)
    assert model.remove_observer(observer)
    refute model.remove_observer(observer)
    assert_equal 1, Headless::Observers.counts['Sketchup::Model']
  end

  def test_an_import_is_silent_unless_told_otherwise
    events = ->(value) { Headless.configuration.update(import_events: value) }
    importing = ->(model, *) { model.definitions.headless_add('part') }
    Headless::Importers.stub(:import, importing) do
      model.definitions.import('part.dae')
      assert_empty @log.take.grep(/Component/)
      events.call(true)
      model.definitions.import('part.dae')
    end

    assert_equal ['onComponentAdded part#1'], @log.take.grep(/Component/)
  end
end
