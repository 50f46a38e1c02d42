# frozen_string_literal: true

require 'test_helper'

class ToolCallsTest < BridgeTest
  # Tools that count how often they ran.
  class Counters
    attr_reader :runs

    def initialize
      @runs = Hash.new(0)
    end

    def call(registry, _services)
      registry.add('change', effect: :write) { |_, _| { 'success' => true, 'run' => @runs['change'] += 1 } }
      registry.add('look', effect: :read) { |_, _| { 'run' => @runs['look'] += 1 } }
      registry.add('break', effect: :write) do |_, call|
        @runs['break'] += 1
        call.operation = 'break.inner'
        details = { node_id: 'x' }
        raise Vcad::Bridge::Failure.new('NODE_NOT_FOUND', 'no such node', details: details, hint: 'look')
      end
      registry.add('explode', effect: :write) { |_, _| raise NotImplementedError, "closed \xFF" }
      registry.add('nothing', effect: :read) { |_, _| nil }
      registry.add('endless', effect: :read) { |_, _| [].tap { |list| list << list } }
      registry.add('deep', effect: :read) { |_, _| 150.times.reduce({}) { |inner, _| { 'in' => inner } } }
    end
  end

  def setup
    super
    @clock = ManualClock.new
    @counters = Counters.new
    @runtime = start_runtime(extra_tools: [@counters], clock: @clock)
    @client = greeted(@runtime)
  end

  def test_arguments_may_be_absent_or_null_but_nothing_else
    assert @client.request('tools/call', { 'name' => 'look' })['result']
    assert @client.request('tools/call', { 'name' => 'look', 'arguments' => nil })['result']
    [[], 5, 'x'].each do |arguments|
      error = @client.request('tools/call', { 'name' => 'look', 'arguments' => arguments })['error']
      assert_equal [-32_602, 'INVALID_PARAMS'], [error['code'], error['data']['error_code']]
      assert_equal 'params.arguments', error['data']['details']['path']
    end
  end

  def test_an_unknown_tool_is_named
    failure = @client.failure('frobnicate')
    assert_equal [-32_601, 'TOOL_NOT_FOUND', 'Unknown tool: frobnicate', 'frobnicate'],
                 [*failure.values_at('code', 'error_code', 'message'), failure['details']['operation']]
  end

  def test_a_tool_that_answers_nothing_is_not_an_unknown_tool
    reply = @client.tool('nothing')
    assert reply.key?('result')
    assert_nil reply['result']
  end

  def test_the_older_command_form_equals_a_tool_call
    @client.send_line('command' => 'change', 'parameters' => {}, 'id' => 4)
    reply = @client.receive
    assert_equal [4, 1], [reply['id'], reply.dig('result', 'run')]
  end

  def test_results_of_changes_and_all_errors_are_stamped
    result = @client.call('change')
    assert_equal %w[model_revision model_epoch elapsed_ms], result.keys.last(3)
    refute_includes @client.call('look'), 'elapsed_ms'
    details = @client.failure('break')['details']
    assert_equal %w[elapsed_ms model_epoch model_revision node_id operation], details.keys.sort
  end

  def test_errors_keep_their_code_hint_and_the_finer_label_of_the_tool
    failure = @client.failure('break')
    assert_equal [-32_004, 'NODE_NOT_FOUND', 'look', false],
                 failure.values_at('code', 'error_code', 'hint', 'success')
    assert_equal 'break.inner', failure['details']['operation']
  end

  def test_a_bug_in_a_tool_is_an_internal_error_and_the_server_lives_on
    failure = @client.failure('explode')
    assert_equal [-32_603, 'INTERNAL_ERROR', 'explode'],
                 [*failure.values_at('code', 'error_code'), failure['details']['operation']]
    assert @client.call('look')
  end

  def test_a_result_that_cannot_be_written_is_still_answered
    assert_equal 'INTERNAL_ERROR', @client.failure('endless')['error_code']
    @client.send_line('command' => 'deep', 'id' => 9)
    assert_equal 9, JSON.parse(@client.receive_line, max_nesting: 0)['id']
    assert @client.call('look')
  end

  def test_a_repeated_request_id_runs_once
    first = @client.call('change', {}, request_id: 'r1')
    again = @client.call('change', {}, request_id: 'r1')
    assert_equal first.merge('replayed' => true), again
    assert_equal 1, @counters.runs['change']
    assert_equal 2, @client.call('change', {}, request_id: 'r2')['run']
  end

  def test_a_repeated_request_id_is_answered_on_another_connection_of_the_same_workspace
    @client.call('change', {}, request_id: 'r1')
    assert greeted(@runtime).call('change', {}, request_id: 'r1')['replayed']
    stranger = connect(@runtime)
    stranger.hello
    refute_includes stranger.call('change', {}, request_id: 'r1'), 'replayed'
  end

  def test_a_failed_change_is_remembered_too
    @client.failure('break', {}, request_id: 'r1')
    again = @client.failure('break', {}, request_id: 'r1')
    assert_equal ['NODE_NOT_FOUND', true], [again['error_code'], again['details']['replayed']]
    assert_equal 1, @counters.runs['break']
  end

  def test_a_change_that_broke_by_our_mistake_is_not_run_again
    @client.failure('explode', {}, request_id: 'r1')
    assert @client.failure('explode', {}, request_id: 'r1')['details']['replayed']
  end

  def test_a_request_id_cannot_be_used_for_another_tool
    @client.call('change', {}, request_id: 'r1')
    assert_equal 'INVALID_PARAMS', @client.failure('break', {}, request_id: 'r1')['error_code']
  end

  def test_replies_are_forgotten_after_ten_minutes
    @client.call('change', {}, request_id: 'r1')
    @clock.advance(599)
    assert @client.call('change', {}, request_id: 'r1')['replayed']
    @clock.advance(2)
    assert_equal 2, @client.call('change', {}, request_id: 'r1')['run']
  end

  def test_only_the_last_256_replies_are_remembered
    257.times { |number| @client.call('change', {}, request_id: "r#{number}") }
    assert_equal 258, @client.call('change', {}, request_id: 'r0')['run']
    assert @client.call('change', {}, request_id: 'r256')['replayed']
  end

  def test_reading_tools_always_run
    2.times { @client.call('look', {}, request_id: 'r1') }
    assert_equal 2, @counters.runs['look']
  end

  def test_a_request_id_must_be_short_text
    ['', 'x' * 129, 5].each do |id|
      assert_equal 'INVALID_PARAMS', @client.failure('change', {}, request_id: id)['error_code'], id.inspect
    end
  end

  def test_a_waiting_request_can_be_cancelled_and_keeps_its_place
    [1, 2, 3].each { |id| @client.send_line('command' => 'change', 'id' => id) }
    @client.send_line('method' => 'notifications/cancelled', 'params' => { 'requestId' => 2 })
    replies = @client.receive_all(3)
    assert_equal [1, 2, 3], (replies.map { |reply| reply['id'] })
    assert_equal 'CANCELLED', replies[1].dig('error', 'data', 'error_code')
    assert_equal 2, @counters.runs['change']
  end

  def test_the_expected_model_is_compared_and_taken_out_of_the_arguments
    path = File.join(workspace, 'a.skp')
    failure = @client.failure('look', 'expected_model_path' => path)
    assert_equal [-32_003, 'WRONG_MODEL'], failure.values_at('code', 'error_code')
    assert_equal [path, nil, 'look'],
                 failure['details'].values_at('expected_model_path', 'active_model_path', 'operation')
    @client.call('save_model', 'path' => path)
    assert @client.call('look', 'expected_model_path' => path)
    assert @client.call('look', 'expected_model_path' => File.join(workspace, 'x', '..', 'a.skp'))
    assert @client.call('look', 'expected_model_path' => '')
    assert @client.call('ping', 'expected_model_path' => '/elsewhere.skp')
  end

  def test_the_observer_tools_are_methods_too
    assert_equal 'not_running', @client.request('vcad.observer_stop').dig('result', 'status')
    assert_equal 'METHOD_NOT_FOUND', @client.request('vcad.other').dig('error', 'data', 'error_code')
  end
end
