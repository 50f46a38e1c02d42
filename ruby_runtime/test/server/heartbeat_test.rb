# frozen_string_literal: true

require 'test_helper'

class HeartbeatTest < BridgeTest
  def test_the_timer_is_quick_for_two_seconds_after_traffic
    clock = ManualClock.new
    runtime = start_runtime('SUPEX_REPL_DISABLED' => '1', clock: clock)
    assert_equal 2, beats_in_half_a_second
    client = connect(runtime)
    client.hello
    assert_operator beats_in_half_a_second, :>=, 24
    clock.advance(1.9)
    assert_operator beats_in_half_a_second, :>=, 24
    clock.advance(0.2)
    runtime.tick
    assert_equal 2, beats_in_half_a_second
  end

  def test_bridge_and_repl_have_a_timer_each_and_stop_both
    runtime = start_runtime
    assert_equal 4, beats_in_half_a_second
    runtime.stop
    assert_equal 0, beats_in_half_a_second
  end

  def test_the_timers_alone_serve_a_client
    runtime = start_runtime
    socket = TCPSocket.new('127.0.0.1', runtime.bridge_port)
    socket.write("{\"method\":\"hello\",\"params\":#{JSON.generate(RuntimeClient::IDENTITY)},\"id\":1}\n")
    Headless.host.timers.advance(0.3)
    assert_equal 1, JSON.parse(socket.gets)['id']
    socket.close
  end

  private

  def beats_in_half_a_second
    Headless.host.timers.advance(0.501).length
  end
end
