# frozen_string_literal: true

require 'test_helper'
require 'test_control'

# The `_test.*` tools, as a client reaches them.
class TestControlTest < BridgeTest
  def setup
    super
    add = ->(registry, services) { Headless::TestControl.add_to(registry, services) }
    @client = greeted(start_runtime(extra_tools: [add]))
  end

  def teardown
    super
    Headless.reset
  end

  def test_the_table_of_tools_is_complete
    %w[reset configure add_definition add_instance add_entity set_attribute get_entity modify_entity
       set_manifold get_state undo redo open_path select new_model activate_model fail_next script_ui
       delay_next advance gaps dump].each do |name|
      refute_equal 'TOOL_NOT_FOUND', error_code("_test.#{name}"), name
    end
    assert_equal 'TOOL_NOT_FOUND', error_code('_test.nothing')
  end

  def test_a_definition_and_its_instance_are_described_in_millimetres
    control('add_definition', 'name' => 'part', 'box_mm' => [10, 20, 30])
    placed = control('add_instance', 'definition_name' => 'part', 'position' => [100, 0, 0], 'name' => 'one',
                                     'layer' => 'parts', 'material' => 'steel', 'locked' => true)
    seen = control('get_entity', 'entity_id' => placed['entity_id'])
    assert_equal ['component', 'one', 'part', 'parts', 'steel', true, true],
                 seen.values_at('type', 'name', 'definition_name', 'layer', 'material', 'locked', 'manifold')
    assert_close [100, 0, 0], seen['bounds_mm']['min']
    assert_close [110, 20, 30], seen['bounds_mm']['max']
    assert_close [100, 0, 0], seen['transformation_mm'][12, 3]
  end

  def test_a_transformation_goes_in_as_it_comes_out
    control('add_definition', 'name' => 'part', 'box_mm' => [10, 20, 30])
    matrix = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]
    placed = control('add_instance', 'definition_name' => 'part', 'transformation' => matrix)
    seen = control('get_entity', 'persistent_id' => placed['persistent_id'])
    assert_close matrix, seen['transformation_mm']
  end

  def test_faces_edges_and_groups_can_be_drawn
    group = control('add_entity', 'type' => 'group', 'name' => 'box', 'box_mm' => [10, 10, 10])
    edge = control('add_entity', 'type' => 'edge', 'length' => 25.4)
    face = control('add_entity', 'type' => 'face', 'area' => 100, 'parent_id' => group['entity_id'])
    assert_equal true, control('get_entity', 'entity_id' => group['entity_id'])['valid']
    assert_close [25.4, 0, 0], control('get_entity', 'entity_id' => edge['entity_id'])['bounds_mm']['max']
    assert_equal 'face', control('get_entity', 'entity_id' => face['entity_id'])['type']
    assert_equal 2, control('get_state')['entity_count']
  end

  def test_an_edit_is_one_undo_step_and_can_be_taken_back
    placed = box_instance
    before = control('get_state')['undo_stack']
    control('modify_entity', 'entity_id' => placed, 'move_mm' => [0, 0, 50], 'name' => 'up')
    assert_equal before.size + 1, control('get_state')['undo_stack'].size
    assert_close [0, 0, 50], control('get_entity', 'entity_id' => placed)['bounds_mm']['min']
    control('undo', 'steps' => 1)
    assert_close [0, 0, 0], control('get_entity', 'entity_id' => placed)['bounds_mm']['min']
    control('redo', 'steps' => 1)
    assert_equal 'up', control('get_entity', 'entity_id' => placed)['name']
  end

  def test_an_erased_entity_is_not_found
    placed = box_instance
    control('modify_entity', 'entity_id' => placed, 'erase' => true)
    assert_equal 'ENTITY_NOT_FOUND', error_code('_test.get_entity', 'entity_id' => placed)
  end

  def test_solidity_can_be_overruled_and_given_back
    placed = box_instance
    control('set_manifold', 'value' => false, 'entity_id' => placed)
    refute control('get_entity', 'entity_id' => placed)['manifold']
    control('set_manifold', 'value' => nil, 'entity_id' => placed)
    assert control('get_entity', 'entity_id' => placed)['manifold']
  end

  def test_a_person_may_be_inside_a_component
    placed = box_instance
    control('open_path', 'entity_ids' => [placed])
    assert_equal [placed], control('get_state')['active_path']
    control('open_path', 'entity_ids' => nil)
    assert_nil control('get_state')['active_path']
  end

  def test_a_failure_that_was_ordered_comes
    control('fail_next', 'what' => 'save', 'mode' => 'false')
    path = File.join(workspace, 'model.skp')
    refute Sketchup.active_model.save(path)
    assert Sketchup.active_model.save(path)
    assert_equal 'INVALID_PARAMS', error_code('_test.fail_next', 'what' => 'lunch')
  end

  def test_documents_can_be_switched
    control('new_model', 'title' => 'first')
    control('new_model', 'title' => 'second')
    assert_equal 'second', control('get_state')['title']
    control('activate_model', 'title' => 'first')
    assert_equal 'first', control('get_state')['title']
  end

  def test_virtual_time_fires_the_timers_that_fall_due
    fired = []
    UI.start_timer(100) { fired << :late }
    control('configure', 'clock' => 'virtual')
    control('advance', 'seconds' => 99)
    assert_empty fired
    control('advance', 'seconds' => 2)
    assert_equal [:late], fired
  end

  def test_a_reset_stops_the_observer
    @client.call('vcad.observer_start')
    control('reset')
    assert_equal 'started', @client.call('vcad.observer_start')['status']
  end

  def test_a_reset_takes_everything_back
    control('configure', 'dae_structure' => 'wrapped', 'lock_mode' => 'raise')
    control('fail_next', 'what' => 'import')
    box_instance
    control('reset', 'units' => 'millimeters')
    assert_equal 'flat', control('configure')['dae_structure']
    state = control('get_state')
    assert_equal [0, 0, 0], state.values_at('entity_count', 'definition_count', 'material_count')
    refute state['modified']
    assert_empty state['undo_stack']
    assert_equal 2, Sketchup.active_model.options['UnitsOptions']['LengthUnit']
    assert_nil Headless.failures.due('import')
  end

  def test_two_runs_of_one_script_have_the_same_digest
    digests = Array.new(2) do
      control('reset')
      box_instance
      control('dump')['digest']
    end
    assert_equal digests[0], digests[1]
  end

  def test_a_partial_import_that_is_aborted_leaves_the_dump_as_it_was
    box_instance
    path = File.join(workspace, 'part.dae')
    File.write(path, BOX_DAE)
    before = control('dump')['digest']
    control('fail_next', 'what' => 'import', 'mode' => 'partial')
    model = Sketchup.active_model
    model.start_operation('Import', true)
    assert_raises(StandardError) { model.definitions.import(path) }
    model.abort_operation
    assert_equal before, control('dump')['digest']
  end

  def test_a_tool_can_be_made_slow
    control('delay_next', 'tool' => 'ping', 'seconds' => 0.05)
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    @client.call('ping')
    assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - start, :>=, 0.05
    assert_empty Headless.host.delays
  end

  # A triangle, in millimetres.
  BOX_DAE = <<~XML
    <?xml version="1.0" encoding="utf-8"?>
    <COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
      <asset><unit meter="0.001" name="millimeter"/><up_axis>Z_UP</up_axis></asset>
      <library_geometries><geometry id="g"><mesh>
        <source id="p"><float_array id="pa" count="9">0 0 0 10 0 0 0 10 0</float_array>
          <technique_common><accessor source="#pa" count="3" stride="3"/></technique_common></source>
        <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
        <triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
      </mesh></geometry></library_geometries>
      <library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node></visual_scene>
      </library_visual_scenes>
      <scene><instance_visual_scene url="#s"/></scene>
    </COLLADA>
  XML

  private

  def control(tool, arguments = {})
    @client.call("_test.#{tool}", arguments)
  end

  def error_code(tool, arguments = {})
    reply = @client.tool(tool, arguments)
    reply['error'] && reply['error']['data']['error_code']
  end

  def box_instance
    control('add_definition', 'name' => 'part', 'box_mm' => [10, 20, 30])
    control('add_instance', 'definition_name' => 'part')['entity_id']
  end

  def assert_close(expected, actual)
    assert_equal expected.size, actual.size
    expected.zip(actual) { |one, other| assert_in_delta one, other, 1e-6 }
  end
end
