# frozen_string_literal: true

module Headless
  # Every timer of `UI.start_timer`. One whose block raises says so and stays, as in SketchUp. A timer
  # does not run again inside itself.
  class Timers
    Timer = Struct.new(:id, :interval, :repeat, :due, :block, :running, keyword_init: true)

    def initialize(clock, errors: $stderr)
      @clock = clock
      @errors = errors
      @timers = {}
      @last_id = 0
    end

    # @param seconds [Numeric] until it fires
    # @return [Integer] its id
    def start(seconds, repeat: false, &block)
      raise ArgumentError, 'a timer needs a block' unless block

      @last_id += 1
      interval = [seconds.to_f, 0.0].max
      @timers[@last_id] = Timer.new(id: @last_id, interval: interval, repeat: repeat,
                                    due: @clock.monotonic + interval, block: block, running: false)
      @last_id
    end

    def stop(id)
      @timers.delete(id)
    end

    def size
      @timers.size
    end

    # Runs what is due, in the order in which it became due.
    # @return [Array<Integer>] the ids that fired
    def run_due
      now = @clock.monotonic
      fire(waiting.select { |timer| timer.due <= now }.sort_by { |timer| [timer.due, timer.id] })
    end

    # @return [Float, nil] seconds until the next timer is due; nil without timers
    def wait
      due = waiting.map(&:due).min
      due && [due - @clock.monotonic, 0.0].max
    end

    # Moves the clock ahead and fires, at its own moment, everything that falls due on the way.
    # @return [Array<Integer>] the ids that fired, in order
    def advance(seconds)
      target = @clock.monotonic + seconds
      fired = []
      while (due = waiting.map(&:due).min) && due <= target
        @clock.advance([due - @clock.monotonic, 0.0].max)
        fired.concat(run_due)
      end
      @clock.advance([target - @clock.monotonic, 0.0].max)
      fired
    end

    private

    def waiting
      @timers.values.reject(&:running)
    end

    def fire(timers)
      timers.filter_map do |timer|
        next unless @timers.key?(timer.id)

        reschedule(timer)
        run(timer)
        timer.id
      end
    end

    def reschedule(timer)
      # An interval of zero would fire for ever within one `advance`.
      timer.repeat ? timer.due = @clock.monotonic + [timer.interval, 0.001].max : stop(timer.id)
    end

    def run(timer)
      timer.running = true
      timer.block.call
    rescue StandardError, ScriptError => e
      @errors.puts("Error in timer #{timer.id}: #{e.full_message(highlight: false)}")
    ensure
      timer.running = false
    end
  end
end
