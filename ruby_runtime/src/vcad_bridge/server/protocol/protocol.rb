# frozen_string_literal: true

require_relative '../../calls/failure'
require_relative 'codec'
require_relative 'request'

module Vcad
  module Bridge
    module Server
      # What bridge and REPL share: a line becomes a queued request, every request gets exactly one reply
      # line, and a stranger's first words end the conversation. Subclasses implement `answer`.
      class Protocol
        LESS = 'Ask for less: use limit and offset, or have the data written to a file.'
        private_constant :LESS
        CLOSING_CODES = %w[HELLO_REQUIRED AUTH_REQUIRED AUTH_INVALID].freeze

        def initialize(clock:, log:, limits:, response_delay: 0.0)
          @clock = clock
          @log = log
          @limits = limits
          @response_delay = response_delay
        end

        # A line has arrived. Runs nothing yet.
        def receive(connection, line)
          request = Request.read(line)
          return notified(connection, request) if request.notification?

          connection.queue << request
        end

        def oversized(connection)
          connection.queue << Request.oversized(@limits.request_bytes)
        end

        # One client too many: refused with an error, then closed.
        def crowded(connection)
          failure = Failure.new('BUSY', "At most #{@limits.connections} connections are served at a time",
                                hint: 'Close a connection that is not needed and try again.')
          send_reply(connection, nil, 'error', failure.to_error)
          connection.close_after_flush
        end

        # Runs one request and queues its reply.
        # @return [Symbol] :opened after a successful hello, else :answered
        def run(connection, request)
          member, value = outcome(connection, request)
          send_reply(connection, request.id, member, value, request.tool || request.method_name)
          connection.close_after_flush if ends?(connection, request, member, value)
          request.method_name == 'hello' && member == 'result' ? :opened : :answered
        end

        # Whether a request takes no time worth mentioning.
        def instant?(request)
          !request.failure.nil? || %w[hello ping].include?(request.method_name)
        end

        def disconnected(_connection); end

        def ticked; end

        private

        # @return [Array(String, Object)] member ("result" or "error") and value
        def outcome(connection, request)
          started = @clock.call
          raise request.failure if request.failure

          require_hello(connection, request)
          ['result', answer(connection, request)]
        rescue Failure => e
          ['error', e.to_error(told_besides(connection, request, started))]
        rescue NoMemoryError, SignalException
          raise
        rescue Exception => e # rubocop:disable Lint/RescueException -- also SystemExit and ScriptError
          @log.failure(request.method_name, e)
          failure = Failure.internal(request.method_name, e)
          ['error', failure.to_error(told_besides(connection, request, started))]
        end

        def require_hello(connection, request)
          return if connection.session || request.method_name == 'hello'

          raise Failure.new('HELLO_REQUIRED', 'The first request must be hello',
                            hint: 'Send hello with name, version, agent and pid, then repeat the request.')
        end

        # What every error tells besides its own details.
        def told_besides(connection, request, started)
          operation = request.tool || request.method_name
          stamps(connection, started).merge(operation ? { 'operation' => operation } : {})
        end

        def stamps(_connection, _started)
          {}
        end

        def ends?(connection, request, member, value)
          return true if request.final?
          return false unless member == 'error'
          return true if CLOSING_CODES.include?(value['data']['error_code'])

          request.foreign? && connection.session.nil?
        end

        def send_reply(connection, id, member, value, operation = nil)
          line = encode(member, value, id, operation)
          line = too_large(id, line.bytesize, operation) if line.bytesize > @limits.response_bytes
          now = @clock.call
          connection.write(line, now, not_before: (now + @response_delay if @response_delay.positive?))
        end

        # A tool that has run must not be left without an answer because its result cannot be written.
        def encode(member, value, id, operation)
          Codec.generate('jsonrpc' => '2.0', member => value, 'id' => id)
        rescue StandardError, SystemStackError => e
          failure = Failure.new('INTERNAL_ERROR', "The result of #{operation} is no JSON: #{e.class}",
                                details: { 'operation' => operation })
          Codec.generate('jsonrpc' => '2.0', 'error' => failure.to_error, 'id' => id)
        end

        def too_large(id, size, operation)
          details = { 'size' => size, 'limit' => @limits.response_bytes, 'operation' => operation }
          failure = Failure.new('PAYLOAD_TOO_LARGE', "The reply of #{operation} has #{size} bytes",
                                details: details, hint: LESS)
          Codec.generate('jsonrpc' => '2.0', 'error' => failure.to_error, 'id' => id)
        end

        # The only notification with a meaning: the sender no longer wants a request that still waits.
        # The request keeps its place, because clients count replies.
        def notified(connection, request)
          return unless request.method_name == 'notifications/cancelled' && request.params.is_a?(Hash)

          wanted = request.params['requestId']
          index = connection.queue.index { |waiting| !wanted.nil? && waiting.id == wanted }
          return unless index

          failure = Failure.new('CANCELLED', 'Cancelled before it started')
          connection.queue[index] = connection.queue[index].refused(failure)
        end
      end
    end
  end
end
