# frozen_string_literal: true

module Vcad
  module Bridge
    module Server
      # The UI timer of one server: quick while there is traffic, slow otherwise.
      class Heartbeat
        QUICK = 0.02
        QUICK_FOR = 2.0

        # @param server [LineServer]
        # @param interval [Float] seconds between ticks while nothing happens
        def initialize(server, interval:, log:)
          @server = server
          @interval = interval
          @log = log
          @timer = nil
        end

        def start
          schedule(@interval) unless @timer
        end

        def stop
          UI.stop_timer(@timer) if @timer
          @timer = nil
        end

        # @return [Float, nil] the current period in seconds
        attr_reader :period

        # Runs one tick. Nothing but a signal or lack of memory gets out of a timer.
        def beat
          @server.tick
          adapt
        rescue NoMemoryError, SignalException
          raise
        rescue Exception => e # rubocop:disable Lint/RescueException -- an error must not end the timer
          @log.failure('tick', e)
        end

        private

        def adapt
          return unless @timer

          wanted = @server.traffic_within?(QUICK_FOR) ? [QUICK, @interval].min : @interval
          return if wanted == @period

          UI.stop_timer(@timer)
          schedule(wanted)
        end

        def schedule(period)
          @period = period
          @timer = UI.start_timer(period, true) { beat }
        end
      end
    end
  end
end
