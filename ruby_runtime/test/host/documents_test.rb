# frozen_string_literal: true

require 'test_helper'
require 'tmpdir'

class HostDocumentsTest < Minitest::Test
  # Writes down what it hears.
  class Listener < Sketchup::AppObserver
    attr_reader :heard

    def initialize
      super
      @heard = []
    end

    def expectsStartupModelNotifications
      true
    end

    %i[onNewModel onOpenModel onActivateModel].each do |name|
      define_method(name) { |model| @heard << [name, model.title] }
    end
  end

  def setup
    Headless.reset
    @listener = Listener.new
    @folder = Dir.mktmpdir
  end

  def teardown
    Sketchup.remove_observer(@listener)
    Headless.reset
    FileUtils.remove_entry(@folder)
  end

  def test_an_observer_hears_of_the_model_that_is_there_already
    Sketchup.add_observer(@listener)
    assert_equal [[:onNewModel, '']], @listener.heard
  end

  def test_new_and_opened_documents_are_told
    path = saved('house.skp')
    Sketchup.add_observer(@listener)
    Sketchup.file_new
    assert Sketchup.open_file(path)
    assert_equal [[:onNewModel, ''], [:onNewModel, ''], [:onOpenModel, 'house']], @listener.heard
  end

  def test_on_macos_each_document_has_its_model_and_can_be_brought_to_front
    first = Sketchup.active_model
    Sketchup.file_new
    refute_same first, Sketchup.active_model
    Sketchup.active_model = first
    assert_same first, Sketchup.active_model
  end

  def test_on_windows_the_model_object_is_used_again
    Headless.configuration.update(platform: 'windows')
    model = Sketchup.active_model
    model.entities.add_group
    Headless.host.answers.script([IDNO])
    Sketchup.file_new
    assert_same model, Sketchup.active_model
    assert_equal 0, model.entities.size
    assert_equal :platform_win, Sketchup.platform
  end

  def test_unsaved_changes_stop_everything_for_a_question_on_windows
    path = saved('house.skp')
    Headless.configuration.update(platform: 'windows')
    Sketchup.active_model.entities.add_line([0, 0, 0], [1, 0, 0])
    assert_raises(Headless::MockModalDialog) { Sketchup.open_file(path) }
    assert_raises(Headless::MockModalDialog) { Sketchup.file_new }
    Headless.host.answers.script([IDCANCEL, IDNO])
    refute Sketchup.open_file(path)
    assert Sketchup.open_file(path)
  end

  def test_a_document_that_is_closed_without_its_changes_asks_nothing
    first = Sketchup.active_model
    Sketchup.file_new
    second = Sketchup.active_model
    second.entities.add_line([0, 0, 0], [1, 0, 0])
    assert_raises(Headless::MockModalDialog) { second.close }
    second.close(true)
    refute_predicate second, :valid?
    assert_same first, Sketchup.active_model
    first.close
    assert_nil Sketchup.active_model
  end

  def test_a_missing_file_and_a_foreign_file_are_not_opened
    before = Sketchup.active_model
    refute Sketchup.open_file(File.join(@folder, 'none.skp'))
    foreign = File.join(@folder, 'foreign.skp')
    File.binwrite(foreign, "\xFF\xFESketchUp Model")
    refute Sketchup.open_file(foreign)
    assert_same before, Sketchup.active_model
  end

  def test_a_reset_begins_with_an_empty_model_and_the_same_ids
    first = Sketchup.active_model.entities.add_group
    ids = [first.entityID, first.persistent_id]
    Headless.reset
    again = Sketchup.active_model.entities.add_group
    assert_equal ids, [again.entityID, again.persistent_id]
  end

  def test_what_an_observer_raises_goes_no_further
    Sketchup.add_observer(@listener)
    @listener.define_singleton_method(:onNewModel) { |_model| raise 'on purpose' }
    Sketchup.file_new
    assert_includes Headless::Observers.errors.join, 'on purpose'
  end

  private

  def saved(name)
    path = File.join(@folder, name)
    Sketchup.active_model.save(path)
    Headless.reset
    path
  end
end
