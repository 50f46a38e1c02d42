# frozen_string_literal: true

module Headless
  # Time as timers see it. It runs by itself, or stands still; `advance` moves it in both cases.
  class Clock
    # What the virtual calendar starts with: two runs of a script see the same times.
    START = Time.utc(2026, 1, 1).freeze

    def initialize
      @virtual = false
      @offset = 0.0
      @stopped_at = 0.0
    end

    # Whether time stands still but for `advance`. The reading does not jump at the change.
    def virtual=(wanted)
      return if wanted == @virtual

      reading = monotonic
      @virtual = wanted
      wanted ? @stopped_at = reading : @offset = reading - running
    end

    # @return [Float] seconds; never goes back
    def monotonic
      @virtual ? @stopped_at : running + @offset
    end

    # @return [Time] of the calendar
    def time
      @virtual ? START + @stopped_at : Time.now + @offset
    end

    # @param seconds [Numeric]
    def advance(seconds)
      @virtual ? @stopped_at += seconds : @offset += seconds
    end

    private

    def running
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
