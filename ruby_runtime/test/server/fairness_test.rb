# frozen_string_literal: true

require 'test_helper'

# A3: slow, silent, flooding and vanishing clients do not disturb the others, nor the host.
class FairnessTest < BridgeTest
  def setup
    super
    @clock = ManualClock.new
    @ran = []
    work = lambda do |registry, _|
      registry.add('work', effect: :read) do |arguments, _|
        @ran << arguments.string('who')
        @clock.advance(arguments.number('seconds', default: 0.0))
        { 'success' => true }
      end
    end
    @runtime = start_runtime(extra_tools: [work], clock: @clock)
  end

  def test_connections_take_turns
    one = greeted(@runtime)
    two = greeted(@runtime)
    4.times { queue(one, 'one') }
    2.times { queue(two, 'two') }
    @runtime.tick
    assert_equal %w[one two one two one one], @ran
  end

  def test_a_tick_runs_at_most_eight_requests
    client = greeted(@runtime)
    20.times { queue(client, 'x') }
    @runtime.tick
    assert_equal 8, @ran.length
    @runtime.tick
    assert_equal 16, @ran.length
  end

  def test_a_tick_starts_nothing_more_after_fifty_milliseconds
    client = greeted(@runtime)
    5.times { queue(client, 'x', seconds: 0.03) }
    @runtime.tick
    assert_equal 2, @ran.length
  end

  def test_a_status_check_does_not_wait_behind_the_queue_of_another
    busy = greeted(@runtime)
    10.times { queue(busy, 'busy', seconds: 2) }
    @runtime.tick
    waiting = greeted(@runtime)
    before = @ran.length
    assert_equal 'connected', waiting.call('ping')['status']
    assert_operator @ran.length - before, :<=, 1
  end

  def test_a_new_client_waits_for_one_running_tool_until_it_knows_the_status
    busy = greeted(@runtime)
    10.times { queue(busy, 'busy', seconds: 2) }
    @runtime.tick
    before = @ran.length
    fresh = connect(@runtime)
    fresh.hello
    3.times { @runtime.tick }
    fresh.call('ping')
    assert_operator @ran.length - before, :<=, 1
  end

  def test_a_stream_of_newcomers_does_not_starve_who_is_there
    busy = greeted(@runtime)
    8.times { queue(busy, 'busy', seconds: 2) }
    10.times do
      connect(@runtime).send_line('method' => 'hello', 'params' => RuntimeClient::IDENTITY, 'id' => 1)
      @runtime.tick
      @clock.advance(0.02)
    end
    assert_operator @ran.length, :>=, 4
  end

  def test_slow_silent_flooding_and_vanishing_clients_at_the_same_time
    silent = connect(@runtime)
    slow = greeted(@runtime)
    flooding = greeted(@runtime)
    vanishing = greeted(@runtime)
    good = greeted(@runtime)
    5.times { queue(vanishing, 'gone') }
    vanishing.close
    slow.send_bytes('{"method":"ping",')
    flood(flooding)
    assert_equal 'connected', good.call('ping')['status']
    slow.send_bytes("\"id\":7}\n")
    assert_equal 7, slow.receive['id']
    assert_predicate silent, :silent?
    refute_includes @ran, 'gone'
    assert_equal 'connected', good.call('ping')['status']
  end

  def test_a_reset_connection_concerns_only_itself
    broken = greeted(@runtime)
    queue(broken, 'broken')
    broken.socket.setsockopt(Socket::SOL_SOCKET, Socket::SO_LINGER, [1, 0].pack('ii'))
    broken.close
    good = greeted(@runtime)
    assert good.call('ping')
    assert_equal 1, @runtime.status[:clients]
  end

  def test_the_requests_of_a_client_that_does_not_read_its_answers_wait
    big = lambda do |registry, _|
      registry.add('big', effect: :read) do |_, _|
        @ran << 'big'
        { 'text' => 'x' * 4_000_000 }
      end
    end
    runtime = start_runtime(extra_tools: [big], clock: @clock)
    client = greeted(runtime)
    10.times { |id| client.send_line('command' => 'big', 'id' => id) }
    50.times { runtime.tick }
    assert_operator @ran.length, :<, 8
    assert_equal (0..9).to_a, (client.receive_all(10).map { |reply| reply['id'] })
  end

  def test_a_tool_that_turns_the_crank_itself_finds_nothing_to_do
    @runtime.services.registry.add('modal', effect: :read) do |_, _|
      @runtime.tick
      { 'success' => true }
    end
    client = greeted(@runtime)
    client.send_line('command' => 'modal', 'id' => 1)
    queue(client, 'later')
    ids = client.receive_all(2).map { |reply| reply['id'] }
    assert_equal [1, 'later'], ids
  end

  private

  def queue(client, who, seconds: 0)
    client.send_line('command' => 'work', 'parameters' => { 'who' => who, 'seconds' => seconds }, 'id' => who)
  end

  # As much as the runtime takes in some ticks, without reading any answer.
  def flood(client)
    bytes = "{\"method\":\"nope\"}\n" * 2000
    20.times do
      client.socket.write_nonblock(bytes, exception: false)
      @runtime.tick
    end
  end
end
