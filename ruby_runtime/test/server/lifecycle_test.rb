# frozen_string_literal: true

require 'test_helper'

# Times and crowds: L3, L9, T2, T14.
class LifecycleTest < BridgeTest
  def setup
    super
    @clock = ManualClock.new
  end

  def test_the_connection_stays_open_after_a_call
    client = greeted(start_runtime)
    20.times { assert_equal 'connected', client.call('ping')['status'] }
  end

  def test_who_says_no_hello_within_ten_seconds_is_closed
    runtime = start_runtime(clock: @clock)
    client = connect(runtime)
    runtime.tick
    @clock.advance(9.9)
    assert_predicate client, :silent?
    @clock.advance(0.2)
    assert_predicate client, :closed?
  end

  def test_a_newcomer_is_not_blamed_for_the_long_tool_of_another
    long = ->(registry, _) { registry.add('long', effect: :read) { |_, _| @clock.advance(20) && {} } }
    runtime = start_runtime(clock: @clock, extra_tools: [long])
    client = greeted(runtime)
    newcomer = connect(runtime)
    client.send_line('command' => 'long', 'id' => 1)
    client.receive
    assert newcomer.hello(workspace: workspace)
  end

  def test_an_idle_client_is_closed_after_a_quarter_of_an_hour
    runtime = start_runtime(clock: @clock)
    client = greeted(runtime)
    @clock.advance(890)
    assert client.call('ping')
    @clock.advance(899)
    assert_predicate client, :silent?
    @clock.advance(2)
    assert_predicate client, :closed?
  end

  def test_the_seventeenth_client_is_told_and_closed
    runtime = start_runtime
    clients = Array.new(16) { greeted(runtime) }
    late = connect(runtime)
    reply = late.receive
    assert_equal [-32_003, 'BUSY', nil],
                 [reply.dig('error', 'code'), reply.dig('error', 'data', 'error_code'), reply['id']]
    assert_predicate late, :closed?
    assert_equal 'ok', clients.first.request('ping').dig('result', 'status')
    clients.pop.close
    runtime.tick
    assert greeted(runtime).call('ping')
  end

  def test_a_client_that_does_not_read_is_dropped_after_thirty_seconds
    big = ->(registry, _) { registry.add('big', effect: :read) { |_, _| { 'text' => 'x' * 9_000_000 } } }
    runtime = start_runtime(clock: @clock, extra_tools: [big])
    client = greeted(runtime)
    3.times { |id| client.send_line('command' => 'big', 'id' => id) }
    20.times { runtime.tick }
    assert_equal 1, runtime.status[:clients]
    # The system's buffers may still take a little at first.
    3.times do
      @clock.advance(31)
      runtime.tick
    end
    assert_equal 0, runtime.status[:clients]
  end

  def test_stopping_sends_the_reply_of_the_tool_that_asked_for_it
    stopper = lambda do |registry, services|
      registry.add('halt', effect: :control) do |_, _|
        services.runtime.stop
        { 'success' => true }
      end
    end
    runtime = start_runtime(extra_tools: [stopper])
    client = greeted(runtime)
    assert client.call('halt')['success']
    assert_predicate client, :closed?
    refute_predicate runtime, :running?
  end

  def test_a_stopped_runtime_can_be_started_again
    runtime = start_runtime
    runtime.stop
    runtime.start
    assert greeted(runtime).call('ping')
  end

  def test_a_taken_port_is_told_and_leaves_nothing_running
    taken = start_runtime.bridge_port
    other = build_runtime('SUPEX_PORT' => taken.to_s)
    assert_raises(Errno::EADDRINUSE) { other.start }
    refute_predicate other, :running?
    assert_includes other.failure, taken.to_s
    assert_empty other.sockets
  end

  def test_a_taken_repl_port_leaves_the_bridge_running
    taken = start_runtime.repl_port
    other = start_runtime('SUPEX_REPL_PORT' => taken.to_s)
    assert_nil other.repl_port
    assert greeted(other).call('ping')
  end

  def test_only_loopback_is_opened_unless_the_owner_asks_and_sets_a_token
    address = Vcad::Bridge::Server::Address
    %w[127.0.0.1 localhost ::1].each do |host|
      assert_includes address.new(host: host, port: 1).hosts, '127.0.0.1'
    end
    assert_raises(ArgumentError) { address.new(host: '0.0.0.0', port: 1) }
    assert_raises(ArgumentError) { address.new(host: '0.0.0.0', port: 1, allow_remote: true) }
    assert_raises(ArgumentError) { address.new(host: '0.0.0.0', port: 1, token: 's') }
    assert_equal ['0.0.0.0'], address.new(host: '0.0.0.0', port: 1, allow_remote: true, token: 's').hosts
  end

  def test_a_response_delay_holds_replies_back_without_sleeping
    runtime = start_runtime('SUPEX_RESPONSE_DELAY' => '2', clock: @clock)
    client = connect(runtime)
    client.send_line('method' => 'hello', 'params' => RuntimeClient::IDENTITY, 'id' => 1)
    assert_predicate client, :silent?
    @clock.advance(2.1)
    assert client.receive['result']
  end
end
