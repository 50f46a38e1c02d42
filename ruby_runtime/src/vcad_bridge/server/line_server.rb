# frozen_string_literal: true

require 'socket'
require_relative 'connection'
require_relative 'limits'
require_relative 'listeners'

module Vcad
  module Bridge
    module Server
      # Serves lines over TCP from a timer: each tick accepts, reads, runs a little, writes, and returns.
      #
      # Knows sockets, budgets and fairness. Does not know JSON or tools: the protocol turns a line into a
      # queued request (`receive`, `oversized`), runs one (`run`), and says which are instant.
      class LineServer
        # @param protocol [#receive, #oversized, #crowded, #run, #instant?, #ticked, #disconnected]
        # @param clock [#call] monotonic seconds
        def initialize(address:, protocol:, clock:, log:, limits: DEFAULT_LIMITS)
          @listeners = Listeners.new(address)
          @protocol = protocol
          @clock = clock
          @log = log
          @limits = limits
          @connections = []
          @last_id = 0
          @traffic_at = nil
          @paused = @ticking = false
        end

        # @return [Integer] the bound port. Raises SystemCallError when it is taken.
        def start
          @listeners.open
          port
        end

        def port
          @listeners.port
        end

        def running?
          @listeners.open?
        end

        # @return [Array<IO>] whatever is worth waking for
        def sockets
          @listeners.sockets + @connections.reject(&:closed?).map(&:socket)
        end

        def connection_count
          @connections.length
        end

        # One turn. Harmless at any time; a tool that opens a modal dialog may cause a call from within.
        # @return [Boolean] whether there was traffic or work is left
        def tick
          return false if @ticking

          @ticking = true
          begin
            accept_pending
            read_all
            run_some
            flush_all
            drop_overdue
            forget_closed
            @protocol.ticked
            busy?
          ensure
            @ticking = false
          end
        end

        # Whether anything came or went within the last `seconds`.
        def traffic_within?(seconds)
          busy? || (!@traffic_at.nil? && @clock.call - @traffic_at < seconds)
        end

        # Stops accepting, sends what is ready (waiting at most `patience` seconds for slow readers), closes.
        def stop(patience: 0.5)
          @listeners.close
          last_moment = @clock.call + patience
          flush_all
          waiting = @connections.select(&:output_pending?)
          until waiting.empty? || @clock.call >= last_moment
            IO.select(nil, waiting.map(&:socket), nil, 0.02)
            flush_all
            waiting = waiting.select { |connection| !connection.closed? && connection.output_pending? }
          end
          @connections.each(&:close)
          forget_closed
        end

        private

        def busy?
          @connections.any? { |connection| connection.runnable? || connection.output_pending? }
        end

        def accept_pending
          @listeners.accept_all do |socket|
            @traffic_at = @clock.call
            crowded = @connections.count { |connection| !connection.closing? } >= @limits.connections
            next socket.close if crowded && @connections.length >= 2 * @limits.connections

            @last_id += 1
            connection = Connection.new(@last_id, socket, @limits, @traffic_at)
            @connections << connection
            @protocol.crowded(connection) if crowded
          end
        end

        def read_all
          @connections.each do |connection|
            concerning(connection) do
              came = connection.read(@clock.call) do |line|
                line ? @protocol.receive(connection, line) : @protocol.oversized(connection)
              end
              @traffic_at = @clock.call if came
            end
          end
        end

        # One request per connection and round; instant ones first, so that a status check does not wait
        # behind somebody else's queue.
        def run_some
          started = @clock.call
          served = []
          ran = 0
          while ran < @limits.requests_per_tick && @clock.call - started < @limits.work_per_tick
            connection = instant_connection(served)
            ran += 1 unless connection
            connection ||= @connections.find(&:runnable?)
            break unless connection

            served << connection.id
            break if pause_after_greeting?(run_next(connection))
          end
        end

        def instant_connection(served)
          @connections.find do |connection|
            connection.runnable? && !served.include?(connection.id) && @protocol.instant?(connection.queue.first)
          end
        end

        def run_next(connection)
          @connections.delete(connection)
          @connections << connection
          request = connection.queue.shift
          outcome = nil
          concerning(connection) do
            outcome = @protocol.run(connection, request)
            connection.flush(@clock.call)
          end
          @traffic_at = @clock.call
          outcome
        end

        # Who has just said hello asks something next; let that in before another's long tool starts.
        # Never twice in a row, or a stream of newcomers would keep everybody else waiting.
        def pause_after_greeting?(outcome)
          @paused = !@paused && outcome == :greeted
        end

        def flush_all
          @connections.each { |connection| concerning(connection) { connection.flush(@clock.call) } }
        end

        def drop_overdue
          now = @clock.call
          @connections.each { |connection| connection.close if connection.overdue?(now) }
        end

        def forget_closed
          gone, @connections = @connections.partition(&:closed?)
          gone.each { |connection| @protocol.disconnected(connection) }
        end

        # A broken client concerns only itself.
        def concerning(connection)
          yield
        rescue SystemCallError, IOError => e
          @log.debug("client #{connection.id} is gone: #{e.class}: #{e.message}")
          connection.close
        end
      end
    end
  end
end
