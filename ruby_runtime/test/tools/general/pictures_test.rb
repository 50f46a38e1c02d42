# frozen_string_literal: true

require 'test_helper'
require_relative '../../view/png_reading'

class PicturesToolsTest < BridgeTest
  def setup
    super
    @model = Sketchup.active_model
    @group = @model.entities.add_group
    @group.entities.add_face([0, 0, 0], [10, 0, 0], [10, 10, 0], [0, 10, 0])
    @client = greeted(start_runtime)
  end

  def test_a_screenshot_goes_to_the_workspace_and_overwrites_nothing
    results = Array.new(3) { @client.call('take_screenshot', 'width' => 40, 'height' => 30) }
    results.each do |result|
      assert_equal [true, 40, 30, 'png'], result.values_at('success', 'width', 'height', 'format')
      assert_equal File.join(workspace, '.vcad/shots'), File.dirname(result['file_path'])
      assert_match(/\Ascreenshot-\d{8}-\d{6}(-\d+)?\.png\z/, result['file_name'])
      assert_equal [40, 30], png_size(result['file_path'])
    end
    assert_equal 3, results.map { |result| result['file_path'] }.uniq.length
  end

  def test_a_given_path_is_checked_and_its_folders_made
    result = @client.call('take_screenshot', 'width' => 8, 'height' => 8, 'output_path' => 'a/b/shot')
    assert_equal File.join(workspace, 'a/b/shot.png'), result['file_path']
    assert_path_exists result['file_path']
    outside = @client.failure('take_screenshot', 'output_path' => '/tmp/outside.png')
    assert_equal ['PATH_NOT_ALLOWED', '/tmp/outside.png', 'take_screenshot'],
                 [outside['error_code'], *outside['details'].values_at('path', 'operation')]
    assert_equal 'INVALID_PARAMS', @client.failure('take_screenshot', 'output_path' => 'a.bmp')['error_code']
  end

  def test_sizes_have_limits
    [0, 16_001, -1, 1.5, '40'].each do |width|
      failure = @client.failure('take_screenshot', 'width' => width)
      assert_equal %w[INVALID_PARAMS width], [failure['error_code'], failure['details']['path']],
                   width.inspect
    end
  end

  def test_a_picture_that_was_not_written_is_a_failure
    fail_next('write_image')
    assert_equal 'EXPORT_FAILED', @client.failure('take_screenshot')['error_code']
  end

  def test_a_batch_names_its_files_and_restores_the_camera
    before = camera
    shots = [{ 'camera' => { 'view' => 'top' }, 'name' => 'plan' }, { 'camera' => { 'view' => 'front' } },
             { 'camera' => { 'type' => 'custom', 'eye' => [0, 0, 100], 'target' => [0, 0, 0] } },
             { 'camera' => { 'type' => 'zoom_entity', 'entity_ids' => [@group.entityID], 'padding' => 1.5 } }]
    result = batch('shots' => shots, 'base_name' => 'part')
    assert_equal [true, 4, 4, 0], result.values_at('success', 'total_shots', 'successful', 'failed')
    names = result['results'].map { |shot| File.basename(shot['file_path']) }
    assert_equal %w[part_plan.png part_001.png part_002.png part_003.png], names
    result['results'].each { |shot| assert_equal [16, 12], png_size(shot['file_path']) }
    assert_equal before, camera
  end

  def test_a_picture_narrower_than_the_window_shows_all_there_is_too
    @group.entities.add_face([0, 0, 0], [0, 0, 10], [0, 300, 10], [0, 300, 0])
    around = { 'type' => 'custom', 'eye' => [900, 100, 200], 'target' => [0, 100, 0] }
    cameras = [{ 'view' => 'iso' }, { 'view' => 'top' }, { 'view' => 'right' }, around,
               { 'type' => 'zoom_entity', 'entity_ids' => [@group.entityID] }]
    result = batch('shots' => cameras.map { |camera| { 'camera' => camera } }, 'width' => 60, 'height' => 80)
    result['results'].zip(cameras) do |shot, camera|
      outside = outline(shot['file_path'], 60, 80).reject { |x, y| x.between?(0, 60) && y.between?(0, 80) }
      assert_empty outside, "#{camera} is cut off"
    end
  end

  def test_the_camera_stays_when_asked
    before = camera
    batch('shots' => [{ 'camera' => { 'view' => 'left' } }], 'restore_camera' => false)
    refute_equal before, camera
    refute_predicate @model.active_view.camera, :perspective?
  end

  def test_one_bad_shot_does_not_stop_the_others
    result = batch('shots' => [{ 'camera' => { 'view' => 'sideways' } }, { 'isolate' => 999_999 }, {}])
    assert_equal [false, 1, 2], result.values_at('success', 'successful', 'failed')
    assert_equal [false, false, true], (result['results'].map { |shot| shot['success'] })
    codes = result['results'].map { |shot| shot['error_code'] }
    assert_equal ['INVALID_PARAMS', 'ENTITY_NOT_FOUND', nil], codes
    assert_includes result['results'][0]['error'], 'shots[0].camera.view'
  end

  def test_bad_names_refuse_the_whole_call
    ['../up', '.hidden', 'a/b', 'x' * 65, ''].each do |name|
      [{ 'shots' => [{ 'name' => name }] }, { 'shots' => [{}], 'base_name' => name }].each do |arguments|
        failure = @client.failure('take_batch_screenshots', arguments)
        assert_equal 'INVALID_PARAMS', failure['error_code'], name
      end
    end
    refute_path_exists File.join(workspace, '.vcad/shots')
  end

  def test_no_shots_is_an_expected_outcome
    result = @client.call('take_batch_screenshots')
    assert_equal [false, 'No shots specified'], result.values_at('success', 'error')
    assert result['error_code']
  end

  def test_the_output_folder_goes_through_the_path_policy
    failure = @client.failure('take_batch_screenshots', 'shots' => [{}], 'output_dir' => '/tmp')
    assert_equal 'PATH_NOT_ALLOWED', failure['error_code']
    result = batch('shots' => [{}], 'output_dir' => 'pictures/today')
    assert_equal File.join(workspace, 'pictures/today'), result['output_dir']
  end

  def test_a_nested_entity_is_shown_alone_and_everything_put_back
    inner = @group.entities.add_group
    inner.entities.add_face([0, 0, 5], [1, 0, 5], [1, 1, 5])
    options = %w[InactiveHidden InstanceHidden].to_h { |name| [name, @model.rendering_options[name]] }
    result = batch('shots' => [{ 'isolate' => inner.entityID }])
    assert_equal true, result['success'], result.inspect
    assert_nil @model.active_path
    options.each { |name, value| assert_equal [value], [@model.rendering_options[name]] }
    assert_nil @model.headless_journal.open_operation
  end

  private

  def batch(arguments)
    @client.call('take_batch_screenshots', { 'width' => 16, 'height' => 12 }.merge(arguments))
  end

  def camera
    camera = @model.active_view.camera
    [camera.eye, camera.target, camera.up].map { |point| point.to_a.map { |number| number.to_f.round(6) } } <<
      camera.perspective?
  end

  # @return [Array] where the corners of all there is lie in a picture, in pixels
  def outline(path, width, height)
    camera = PngReading.read(path).described['camera']
    eye, target = camera.values_at('eye_mm', 'target_mm').map { |place| place.map { |number| number / 25.4 } }
    seen_from = Sketchup::Camera.new(eye, target, camera['up'], camera['perspective'])
    camera['perspective'] ? seen_from.fov = camera['fov'] : seen_from.height = camera['height_mm'] / 25.4
    projection = Headless::Projection.new(seen_from, width, height)
    (0..7).map { |corner| projection.pixel(Headless::Coordinates.of(@model.bounds.corner(corner))) }
  end

  def png_size(path)
    File.binread(path, 8, 16).unpack('NN')
  end

  def fail_next(what)
    Headless.host.failures.order(what, 'false')
  end
end
