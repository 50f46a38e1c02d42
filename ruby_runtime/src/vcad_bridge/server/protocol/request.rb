# frozen_string_literal: true

require_relative '../../calls/failure'
require_relative 'codec'

module Vcad
  module Bridge
    module Server
      # One line as a request. What is wrong with it is kept, not raised: it is answered in its turn.
      class Request
        # @return [Object] any JSON scalar, returned unchanged
        attr_reader :id
        # @return [String, nil]
        attr_reader :method_name
        # @return [Object] the raw params
        attr_reader :params
        # @return [Failure, nil] why it cannot be run
        attr_reader :failure

        # @param foreign [Boolean] not even a JSON object: its sender does not speak this protocol
        # @param final [Boolean] the connection ends with the answer
        def initialize(id: nil, method_name: nil, params: nil, failure: nil, foreign: false, final: false)
          @id = id
          @method_name = method_name
          @params = params
          @failure = failure
          @foreign = foreign
          @final = final
        end

        def foreign?
          @foreign
        end

        def final?
          @final
        end

        def notification?
          failure.nil? && method_name.start_with?('notifications/')
        end

        # @return [String, nil] the tool that tools/call asks for
        def tool
          return unless method_name == 'tools/call' && params.is_a?(Hash)

          params['name'] if params['name'].is_a?(String)
        end

        # @return [Request] the same place in the queue, but it will only be answered with the failure
        def refused(failure)
          Request.new(id: id, method_name: method_name, params: params, failure: failure)
        end

        class << self
          # @param line [String] without its line end
          def read(line)
            message = Codec.parse(line)
            return foreign('BATCH_UNSUPPORTED', 'Batches are not supported') if message.is_a?(Array)
            return foreign('INVALID_REQUEST', 'A request must be a JSON object') unless message.is_a?(Hash)

            from_object(message)
          rescue Failure => e
            new(failure: e, foreign: true)
          end

          # The answer to a line that exceeded the limit; nothing behind it can be trusted.
          def oversized(limit)
            failure = Failure.new('PAYLOAD_TOO_LARGE', "The request line is longer than #{limit} bytes",
                                  details: { 'limit' => limit },
                                  hint: 'Pass bulk data as a file in the workspace.')
            new(failure: failure, final: true)
          end

          private

          def from_object(message)
            id = message['id']
            return invalid(nil, 'id must be a scalar') if id.is_a?(Hash) || id.is_a?(Array)
            return invalid(id, 'jsonrpc must be "2.0"') unless [nil, '2.0'].include?(message['jsonrpc'])
            return command(id, message) if message['method'].nil? && message['command'].is_a?(String)
            return invalid(id, 'method must be a string') unless message['method'].is_a?(String)

            new(id: id, method_name: message['method'], params: message['params'])
          end

          # The older form {command, parameters} equals tools/call.
          def command(id, message)
            params = { 'name' => message['command'], 'arguments' => message['parameters'] }
            new(id: id, method_name: 'tools/call', params: params)
          end

          def invalid(id, text)
            new(id: id, failure: Failure.new('INVALID_REQUEST', "Invalid request: #{text}"))
          end

          def foreign(code, text)
            new(failure: Failure.new(code, text), foreign: true)
          end
        end
      end
    end
  end
end
