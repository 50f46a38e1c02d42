# frozen_string_literal: true

require 'test_helper'

class StatusToolsTest < BridgeTest
  def test_ping_tells_versions_and_the_state_of_the_model
    result = greeted(start_runtime).call('ping')
    assert_equal [true, 'connected', Sketchup.version],
                 result.values_at('success', 'status', 'sketchup_version')
    assert_kind_of Integer, result['model_revision']
    assert_kind_of Integer, result['model_epoch']
  end

  def test_console_output_goes_to_a_log_below_the_workspace
    client = greeted(start_runtime)
    result = client.call('console_capture_status')
    assert_equal [true, true, File.join(workspace, '.vcad/logs/runtime-console.log')],
                 result.values_at('success', 'capturing', 'log_file')
    silently { $stdout.puts('seen') }
    assert_match(/^\d\d:\d\d:\d\d\.\d{3}\|I\|SketchUp\|seen$/, File.read(result['log_file']))
  end

  def test_console_output_goes_to_a_private_folder_before_a_workspace_is_known
    client = connect(start_runtime)
    client.hello
    log = client.call('console_capture_status')['log_file']
    assert_equal File.join(workspace, 'console', 'runtime-console.log'), log
    assert_equal 0o700, File.stat(File.dirname(log)).mode & 0o777
  end

  def test_a_temporary_folder_that_somebody_else_put_there_is_not_used
    Dir.stub(:tmpdir, workspace) do
      expected = File.join(workspace, "vcad-bridge-#{Process.uid}")
      assert_equal expected, Vcad::Bridge::ConsoleCapture.private_folder
      File.symlink('/tmp', expected)
      refute_equal expected, Vcad::Bridge::ConsoleCapture.private_folder
    end
  end

  def test_the_log_is_rotated
    console = Vcad::Bridge::ConsoleCapture.new(folder: workspace)
    60.times { console.note('I', 'x' * 100_000) }
    assert File.exist?("#{console.log_file}.1")
    assert_operator File.size(console.log_file), :<, 5_000_000
    console.stop
  end

  def test_stopping_gives_the_streams_back
    before = [$stdout, $stderr]
    runtime = start_runtime
    refute_equal before, [$stdout, $stderr]
    runtime.stop
    assert_equal before.map(&:object_id), [$stdout, $stderr].map(&:object_id)
  end

  def test_a_host_without_a_model_still_answers
    client = greeted(start_runtime)
    Sketchup.stub(:active_model, nil) do
      assert client.call('ping')['success']
      %w[get_model_info list_entities get_selection get_layers get_materials get_camera_info take_screenshot
         save_model export_scene].each do |tool|
        assert_equal [false, 'No active model', 'MODEL_UNAVAILABLE'],
                     client.call(tool).values_at('success', 'error', 'error_code'), tool
      end
      assert_equal [], client.request('resources/list')['result']['resources']
    end
  end

  private

  # What the console would show, kept out of the test's own output.
  def silently(&block)
    $stdout.original.stub(:write, 0, &block)
  end
end
