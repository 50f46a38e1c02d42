# frozen_string_literal: true

require 'test_helper'

class DocumentsToolsTest < BridgeTest
  def setup
    super
    @client = greeted(start_runtime)
  end

  def test_a_model_that_was_never_saved_needs_a_path
    failure = @client.failure('save_model')
    assert_equal [-32_000, 'SAVE_FAILED'], failure.values_at('code', 'error_code')
    assert failure['hint']
  end

  def test_saving_and_opening
    path = File.join(workspace, 'Küche.skp')
    saved = @client.call('save_model', 'path' => 'Küche')
    assert_equal [true, path, 'Küche.skp', 'Küche'],
                 saved.values_at('success', 'file_path', 'file_name', 'title')
    assert_equal path, @client.call('save_model')['file_path']
    Sketchup.file_new
    epoch = @client.call('ping')['model_epoch']
    opened = @client.call('open_model', 'path' => path)
    assert_equal [true, path, 'Küche'], opened.values_at('success', 'file_path', 'title')
    assert_operator @client.call('ping')['model_epoch'], :>, epoch
  end

  def test_expected_failures_of_opening_are_results
    assert_equal 'No file path provided', @client.call('open_model')['error']
    result = @client.call('open_model', 'path' => 'none.skp')
    assert_equal [false, 'File not found: none.skp'], result.values_at('success', 'error')
    assert_equal 'PATH_NOT_ALLOWED', @client.failure('open_model', 'path' => '/etc/x.skp')['error_code']
  end

  def test_unsaved_changes_are_not_thrown_away_unasked
    @client.call('save_model', 'path' => 'a.skp')
    Sketchup.active_model.entities.add_line([0, 0, 0], [1, 0, 0])
    failure = @client.failure('open_model', 'path' => 'a.skp')
    assert_equal [-32_003, 'BUSY'], failure.values_at('code', 'error_code')
    assert failure['hint']
    assert @client.call('open_model', 'path' => 'a.skp', 'discard_changes' => true)['success']
    assert_equal 0, Sketchup.active_model.entities.length
  end

  def test_a_file_that_is_no_model
    File.write(File.join(workspace, 'bad.skp'), 'nothing')
    assert_equal 'OPERATION_FAILED', @client.failure('open_model', 'path' => 'bad.skp')['error_code']
  end

  def test_only_skp_is_saved
    assert_equal 'INVALID_PARAMS', @client.failure('save_model', 'path' => 'a.dae')['error_code']
  end

  def test_a_save_that_did_not_work
    Headless.host.failures.order('save', 'false')
    assert_equal 'SAVE_FAILED', @client.failure('save_model', 'path' => 'a.skp')['error_code']
  end
end
