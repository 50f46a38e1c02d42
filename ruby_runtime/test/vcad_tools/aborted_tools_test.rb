# frozen_string_literal: true

require 'test_helper'
require_relative 'tool_calls'

# A tool that fails leaves the model as it was, and no open operation.
class AbortedToolsTest < Minitest::Test
  include ToolCalls

  def setup
    super
    place('present', box(5, 5, 5))
    @before = counts
  end

  def test_a_broken_file_changes_nothing
    File.write(File.join(@workspace, 'broken.dae'), '<COLLADA><asset>')
    details = assert_refused('IMPORT_DEFINITION_NOT_FOUND', 'place_vcad_node', node_id: 'new',
                                                                               mesh_path: 'broken.dae')

    assert_equal 'broken.dae', details['path']
    assert_untouched
  end

  def test_a_missing_file_changes_nothing
    assert_refused('IMPORT_DEFINITION_NOT_FOUND', 'place_vcad_node', node_id: 'new', mesh_path: 'missing.dae')
    assert_untouched
  end

  def test_an_obj_file_cannot_be_imported
    File.write(File.join(@workspace, 'part.obj'), "v 0 0 0\n")
    details = assert_refused('IMPORT_DEFINITION_NOT_FOUND', 'place_vcad_node', node_id: 'new',
                                                                               obj_path: 'part.obj')

    refute_empty details['reason']
    assert_untouched
  end

  %w[nil raise partial].each do |mode|
    define_method("test_an_import_that_ends_with_#{mode}_changes_nothing") do
      Headless.failures.order('import', mode)
      assert_refused('IMPORT_DEFINITION_NOT_FOUND', 'place_vcad_node', node_id: 'new',
                                                                       mesh_path: box(1, 1, 1))
      assert_untouched
    end
  end

  def test_an_update_that_fails_keeps_its_own_code
    Headless.failures.order('import', 'partial')
    assert_refused('IMPORT_DEFINITION_NOT_FOUND', 'update_vcad_node', node_id: 'present',
                                                                      mesh_path: box(1, 1, 1))
    assert_untouched
    assert_equal 1, call('get_vcad_node', node_id: 'present')['version']
  end

  def test_the_wrong_unit_is_noticed
    details = assert_refused('IMPORT_SCALE_MISMATCH', 'place_vcad_node',
                             node_id: 'new', mesh_path: box(10, 20, 30, meter: 0.0254),
                             expected_bbox_mm: { min: [0, 0, 0], max: [10, 20, 30] })

    assert_box [0, 0, 0], [254, 508, 762], details['actual_bbox_mm']
    assert_box [0, 0, 0], [10, 20, 30], details['expected_bbox_mm']
    assert_untouched
  end

  def test_the_wrong_axis_is_noticed
    assert_refused('IMPORT_SCALE_MISMATCH', 'place_vcad_node',
                   node_id: 'new', mesh_path: box(10, 20, 30, up_axis: 'Y_UP'),
                   expected_bbox_mm: { min: [0, 0, 0], max: [10, 20, 30] })
    assert_untouched
  end

  %w[raise false].each do |mode|
    define_method("test_an_instance_that_cannot_be_switched_changes_nothing_#{mode}") do
      place('present', box(5, 5, 5), if_exists: 'add_instance')
      before = counts
      Headless.failures.order('definition_set', mode, after: 1)
      assert_refused('OPERATION_FAILED', 'update_vcad_node', node_id: 'present', mesh_path: box(1, 1, 1))

      assert_equal before, counts
      assert_equal 1, call('get_vcad_node', node_id: 'present')['version']
    end
  end

  %w[raise nil].each do |mode|
    define_method("test_an_instance_that_cannot_be_added_changes_nothing_#{mode}") do
      Headless.failures.order('add_instance', mode)
      assert_refused('OPERATION_FAILED', 'place_vcad_node', node_id: 'new', mesh_path: box(1, 1, 1),
                                                            layer: 'New', material: 'New')
      assert_untouched
    end
  end

  private

  def assert_untouched
    assert_equal @before, counts
    @model.start_operation('Probe', true)
    @model.abort_operation
    assert_equal @before, counts, 'a following abort undid earlier work'
  end
end
