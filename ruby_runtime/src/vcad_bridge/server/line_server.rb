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
        # Tries of 20 ms each to get the last replies out.
        FAREWELLS = 25
        # Seconds kept free for a newcomer's first question.
        RESERVED = 0.02

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
          @ticking = false
          @newcomer = nil
          @may_reserve = true
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
          started = @clock.call
          begin
            accept_pending
            read_all
            run_some
            flush_all
            drop_overdue(started)
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

        # Stops accepting, sends what is ready (a slow reader gets half a second), closes.
        def stop
          @listeners.close
          flush_all
          FAREWELLS.times do
            waiting = @connections.select { |connection| !connection.closed? && connection.output_pending? }
            break if waiting.empty?

            IO.select(nil, waiting.map(&:socket), nil, 0.02)
            flush_all
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
        # behind another client's queue.
        def run_some
          started = @clock.call
          served = []
          ran = 0
          while ran < @limits.requests_per_tick && @clock.call - started < @limits.work_per_tick
            instant = instant_connection(served)
            connection = instant || next_connection
            break unless connection

            ran += 1 unless instant
            served << connection.id
            note(run_next(connection), connection, instant)
          end
        end

        def instant_connection(served)
          @connections.find do |connection|
            !served.include?(connection.id) && connection.runnable? &&
              @protocol.instant?(connection.queue.first)
          end
        end

        def next_connection
          waiting = @connections.select(&:runnable?)
          return waiting.first unless @newcomer && @clock.call < @reserved_until

          waiting.find { |connection| connection.id == @newcomer }
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

        # Who has just said hello asks something next; for a moment nothing else is started, so that it does
        # not wait for a second long tool. Another client's turn lies between two such moments.
        def note(outcome, connection, instant)
          if outcome == :opened && @may_reserve
            @newcomer = connection.id
            @reserved_until = @clock.call + RESERVED
            @may_reserve = false
          elsif !instant || connection.id == @newcomer
            @newcomer = nil
            @may_reserve ||= !instant
          end
        end

        def flush_all
          @connections.each { |connection| concerning(connection) { connection.flush(@clock.call) } }
        end

        # Seen from the start of the tick: what arrived during a long tool has not been read yet.
        def drop_overdue(now)
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
