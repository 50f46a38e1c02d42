# frozen_string_literal: true

require 'test_helper'

class ExportsToolsTest < BridgeTest
  def setup
    super
    @model = Sketchup.active_model
    @model.entities.add_face([0, 0, 0], [10, 0, 0], [10, 10, 0], [0, 10, 0])
    @client = greeted(start_runtime)
  end

  def test_every_format_lands_in_the_workspace
    { 'obj' => '.obj', 'stl' => '.stl', 'dae' => '.dae', 'png' => '.png', 'jpg' => '.jpeg', 'jpeg' => '.jpeg',
      'skp' => '.skp' }.each do |format, extension|
      result = @client.call('export_scene', 'format' => format, 'width' => 16, 'height' => 16)
      assert_equal [true, format, extension, File.join(workspace, '.vcad/exports')],
                   [*result.values_at('success', 'format'), File.extname(result['file_path']),
                    File.dirname(result['file_path'])]
      assert_operator File.size(result['file_path']), :>, 0
    end
    assert_empty Headless.host.gaps.to_a
  end

  def test_a_saved_model_keeps_its_path_when_it_is_exported
    @client.call('save_model', 'path' => 'own.skp')
    result = @client.call('export_scene', 'output_path' => 'copy.skp')
    refute_includes result, 'warning'
    assert_equal File.join(workspace, 'own.skp'), @model.path
  end

  def test_an_unsaved_model_is_bound_to_the_export_and_that_is_said
    result = @client.call('export_scene')
    assert result['warning']
    assert_equal result['file_path'], @model.path
  end

  # An .obj comes with a library of materials beside it.
  def test_a_link_beside_an_obj_is_not_written_through
    Dir.mktmpdir do |outside|
      File.symlink(File.join(outside, 'secret.txt'), File.join(workspace, 'part.mtl'))
      failure = @client.failure('export_scene', 'format' => 'obj', 'output_path' => 'part.obj')
      assert_equal ['PATH_NOT_ALLOWED', []], [failure['error_code'], Dir.children(outside)]
    end
  end

  def test_the_path_must_fit_the_format_and_the_policy
    assert_equal 'INVALID_PARAMS',
                 @client.failure('export_scene', 'format' => 'obj', 'output_path' => 'a.stl')['error_code']
    assert_equal 'PATH_NOT_ALLOWED',
                 @client.failure('export_scene', 'format' => 'obj',
                                                 'output_path' => '/tmp/a.obj')['error_code']
    assert_equal 'INVALID_PARAMS', @client.failure('export_scene', 'format' => 'dwg')['error_code']
  end

  def test_an_export_that_did_not_work
    Headless.host.failures.order('export', 'false')
    assert_equal 'EXPORT_FAILED', @client.failure('export_scene', 'format' => 'obj')['error_code']
  end
end
