# frozen_string_literal: true

require 'test_helper'

class EventLoopTest < Minitest::Test
  def setup
    @timers = Headless::Timers.new(Headless::Clock.new)
    @input, @input_end = IO.pipe
  end

  def test_it_ends_when_standard_input_ends
    loop = Headless::EventLoop.new(@timers, input: @input)
    @input_end.close
    assert_nil loop.run
  end

  def test_it_ends_when_told_from_a_timer
    loop = Headless::EventLoop.new(@timers, input: @input)
    @timers.start(0) { loop.stop }
    assert_nil loop.run
  end

  def test_traffic_is_attended_to_before_any_timer_is_due
    socket, other_end = IO.pipe
    attended = 0
    loop = nil
    on_ready = lambda do
      socket.read_nonblock(10)
      attended += 1
      loop.stop
    end
    loop = Headless::EventLoop.new(@timers, sockets: -> { [socket] }, on_ready: on_ready, input: @input)
    @timers.start(1000, repeat: true) { flunk }
    other_end.write('x')
    loop.run
    assert_equal 1, attended
  end

  def test_timers_alone_do_the_work_when_no_sockets_are_known
    loop = Headless::EventLoop.new(@timers, input: @input)
    ticks = 0
    @timers.start(0.001, repeat: true) { (ticks += 1) == 3 && loop.stop }
    loop.run
    assert_equal 3, ticks
  end

  def test_what_is_typed_into_standard_input_does_not_end_it
    loop = Headless::EventLoop.new(@timers, input: @input)
    @input_end.write("hello\n")
    @timers.start(0.001) { loop.stop }
    assert_nil loop.run
    assert_raises(IO::WaitReadable) { @input.read_nonblock(1) }
  end
end
