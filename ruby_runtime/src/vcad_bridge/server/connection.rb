# frozen_string_literal: true

require 'socket'
require_relative 'line_buffer'

module Vcad
  module Bridge
    module Server
      # One client: its socket, the bytes on their way in and out, and the requests that wait.
      # Nothing here blocks.
      class Connection
        CHUNK = 65_536
        # Closing with unread input resets the connection and may destroy the last reply on its way.
        LINGER = 2.0

        attr_reader :id, :socket, :queue, :accepted_at
        # @return [Object, nil] what the protocol keeps per client, e.g. a Session after hello
        attr_accessor :session

        def initialize(id, socket, limits, now)
          @id = id
          @socket = socket
          @limits = limits
          @incoming = LineBuffer.new(limits.request_bytes)
          @queue = []
          @outgoing = []
          @offset = 0
          @accepted_at = @active_at = @progress_at = now
          @reading = true
          @closing = @closed = false
          @lingers_until = nil
        end

        # Takes what has arrived, at most a tick's share.
        # @yieldparam line [String, nil] each complete line; nil once for a line that is too long
        # @return [Boolean] whether anything came
        def read(now, &block)
          return discard if @lingers_until
          return false unless reading?

          split(&block)
          receive(now, &block)
        end

        # Queues a finished line for sending.
        # @param not_before [Float, nil] clock time
        def write(line, now, not_before: nil)
          return if @closed

          @progress_at = now if @outgoing.empty?
          @outgoing << [line.b, not_before]
          @active_at = now
        end

        # Sends as much as the client takes. Raises SystemCallError when it is gone.
        def flush(now)
          until @outgoing.empty? || @closed
            line, not_before = @outgoing.first
            break if not_before && now < not_before
            break unless send_some(line, now)
          end
          linger(now) if @closing && @outgoing.empty? && !@closed
        end

        # Drops what waits and closes when the last reply is out.
        def close_after_flush
          @closing = true
          @reading = false
          @queue.clear
          @incoming.clear
        end

        def close
          @closed = true
          @queue.clear
          @outgoing.clear
          @socket.close
        rescue IOError, SystemCallError
          nil
        end

        def closed?
          @closed
        end

        def closing?
          @closing || @closed
        end

        # Whether its next request may be run now; a client that does not read its answers waits.
        def runnable?
          return false if @queue.empty? || closing?

          pending_output <= @limits.pending_output - @limits.response_bytes
        end

        def output_pending?
          !@outgoing.empty?
        end

        def overdue?(now)
          return now > @lingers_until if @lingers_until
          return true if output_pending? && now - @progress_at > @limits.stalled_reader
          return false if closing? || !@queue.empty? || output_pending?

          session ? now - @active_at > @limits.idle : now - @accepted_at > @limits.hello_within
        end

        private

        def reading?
          @reading && !@closed
        end

        def room?
          reading? && @queue.length < @limits.queued_requests
        end

        def pending_output
          @outgoing.sum { |line, _| line.bytesize } - @offset
        end

        def receive(now, &block)
          taken = 0
          while room? && taken < @limits.read_per_tick
            bytes = @socket.read_nonblock(CHUNK, exception: false)
            break if bytes == :wait_readable
            # A client that leaves takes the requests that wait with it.
            break close if bytes.nil?

            taken += bytes.bytesize
            @active_at = now
            @incoming << bytes
            split(&block)
          end
          taken.positive?
        end

        def split
          while room? && (line = @incoming.shift)
            yield line
          end
          return unless room? && @incoming.overflow?

          @reading = false
          @incoming.clear
          yield nil
        end

        def send_some(line, now)
          sent = @socket.write_nonblock(line.byteslice(@offset, CHUNK * 16), exception: false)
          return false if sent == :wait_writable

          @progress_at = now
          @offset += sent
          if @offset >= line.bytesize
            @outgoing.shift
            @offset = 0
          end
          true
        end

        def linger(now)
          return if @lingers_until

          @lingers_until = now + LINGER
          @socket.close_write
        end

        # Who floods on after the farewell gets a tick's share, too.
        def discard
          (@limits.read_per_tick / CHUNK).times do
            bytes = @socket.read_nonblock(CHUNK, exception: false)
            break if bytes == :wait_readable
            break close if bytes.nil?
          end
          false
        end
      end
    end
  end
end
