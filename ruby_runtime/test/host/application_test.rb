# frozen_string_literal: true

require 'test_helper'

class ApplicationTest < Minitest::Test
  def setup
    Headless.reset
    @folder = Dir.mktmpdir
  end

  def teardown
    FileUtils.remove_entry(@folder)
    Headless.reset
  end

  def test_it_is_the_sketchup_that_the_extension_is_made_for
    assert_equal ['26.0.429', :platform_osx], [Sketchup.version, Sketchup.platform]
    assert_equal 26, Sketchup.version.to_i
  end

  def test_undo_and_redo_go_through_the_application
    line = Sketchup.active_model.entities.add_line([0, 0, 0], [1, 0, 0])
    Sketchup.undo
    assert_predicate line, :deleted?
    Sketchup.redo
    assert_predicate line, :valid?
    Sketchup.send_action('editUndo:')
    assert_predicate line, :deleted?
  end

  def test_an_extension_is_loaded_when_it_is_registered
    extension = extension_named('Loaded')
    Sketchup.register_extension(extension, true)
    assert_predicate extension, :loaded?
    assert_equal 1, Object.const_get(:LOADED_BY_TEST)
    assert_same extension, Sketchup.extensions['Loaded']
  end

  def test_an_extension_that_is_switched_off_is_not_loaded
    extension = extension_named('Waiting')
    Sketchup.register_extension(extension, false)
    refute_predicate extension, :loaded?
    assert_predicate extension, :registered?
    extension.check
    assert_predicate extension, :loaded?
  end

  def test_an_observer_of_the_application_is_added_once
    observer = Sketchup::AppObserver.new
    assert Sketchup.add_observer(observer)
    refute Sketchup.add_observer(observer)
    assert Sketchup.remove_observer(observer)
    refute Sketchup.remove_observer(observer)
  end

  def test_a_path_that_is_no_text_is_refused
    assert_raises(TypeError) { Sketchup.open_file(nil) }
    assert_raises(TypeError) { Sketchup.active_model = nil }
  end

  private

  def extension_named(name)
    path = File.join(@folder, "#{name.downcase}_main")
    File.write("#{path}.rb", "LOADED_BY_TEST = 1 unless defined?(LOADED_BY_TEST)\n")
    SketchupExtension.new(name, path)
  end
end
