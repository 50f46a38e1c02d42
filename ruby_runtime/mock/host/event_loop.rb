# frozen_string_literal: true

module Headless
  # What SketchUp's own loop does for an extension: run timers when they are due, between two sleeps.
  # Traffic on the sockets that it is told of ends a sleep early, so that a test need not wait for a
  # tick; without them it sleeps plainly. Ends when told, on a signal, or when standard input ends.
  class EventLoop
    # Seconds to wait while a socket stays ready because nobody uses it: no reason to spin.
    UNUSED_PAUSE = 0.001
    # Longest sleep in seconds: sockets opened meanwhile get known.
    LONGEST_SLEEP = 0.05

    # @param sockets [Proc] gives the IOs worth waking for when they can be read
    # @param on_ready [Proc] called when one of them can
    # @param input [IO, nil] whose end ends the loop
    def initialize(timers, sockets: -> { [] }, on_ready: -> {}, input: $stdin)
      @timers = timers
      @sockets = sockets
      @on_ready = on_ready
      @input = input
      @wake, @waker = IO.pipe
      @stopped = false
    end

    # May be called from a signal handler.
    def stop
      @stopped = true
      @waker.write_nonblock('.', exception: false)
    end

    def run
      turn until @stopped
    end

    private

    def turn
      ready = wait(sleep_length, [@wake, @input].compact)
      return if @stopped || (ready.include?(@input) && input_ended?)

      @timers.run_due
      attend if ready.any? { |io| io != @input && io != @wake }
    end

    def attend
      @on_ready.call
      sleep(UNUSED_PAUSE) unless wait(0).empty?
    end

    # @return [Array<IO>] what is ready
    def wait(seconds, others = [])
      readable, = IO.select(others + @sockets.call.reject(&:closed?), nil, nil, seconds)
      readable || []
    end

    def sleep_length
      [@timers.wait || LONGEST_SLEEP, LONGEST_SLEEP].min
    end

    def input_ended?
      @stopped = @input.read_nonblock(4096, exception: false).nil?
    rescue IOError
      @stopped = true
    end
  end
end
