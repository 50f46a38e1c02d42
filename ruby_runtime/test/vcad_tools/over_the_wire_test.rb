# frozen_string_literal: true

require 'test_helper'
require_relative 'collada_box'

# The node tools as a client meets them.
class OverTheWireTest < BridgeTest
  def setup
    super
    @runtime = start_runtime
    @client = greeted(@runtime)
    File.write(File.join(workspace, 'box.dae'), ColladaBox.text([10, 20, 30]))
  end

  def test_the_capabilities_are_announced
    result = connect(@runtime).hello(workspace: workspace)
    expected = %w[vcad.nodes vcad.nodes.mesh vcad.instances vcad.imports.data vcad.imports.native_mesh
                  vcad.observer vcad.observer.watch]

    assert_empty expected - result['capabilities']
    assert_empty %w[place_vcad_node update_vcad_node upsert_vcad_definition] - result['limits']['slow_tools']
  end

  def test_results_and_errors_say_where_the_model_stands
    placed = place('part')
    failed = tool('get_vcad_node', node_id: 'none')['error']

    assert_operator placed['model_revision'], :>, 0
    assert_equal placed.values_at('model_revision', 'model_epoch'),
                 failed['data']['details'].values_at('model_revision', 'model_epoch')
    assert_equal %w[NODE_NOT_FOUND get_vcad_node],
                 [failed['data']['error_code'], failed['data']['details']['operation']]
  end

  def test_a_repeated_request_places_nothing_twice
    first = place('part', request_id: 'request-1')
    again = place('part', request_id: 'request-1')

    assert again['replayed']
    assert_equal first['model_revision'], again['model_revision']
    assert_equal 1, tool('list_vcad_nodes')['result'].first['version']
  end

  def test_a_list_of_nodes_is_a_bare_array
    place('part')

    assert_equal(%w[part], tool('list_vcad_nodes')['result'].map { |row| row['node_id'] })
  end

  def test_the_observer_answers_to_its_own_method_names
    assert_equal 'started', @client.request('vcad.observer_start')['result']['status']
    assert_equal [], @client.request('vcad.observer_poll')['result']['changed_entity_ids']
  end

  private

  def place(node_id, request_id: nil)
    tool('place_vcad_node', request_id: request_id, node_id: node_id, mesh_path: 'box.dae')['result']
  end

  def tool(name, request_id: nil, **arguments)
    @client.tool(name, arguments, **{ request_id: request_id }.compact)
  end
end
