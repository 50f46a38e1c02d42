# frozen_string_literal: true

require_relative '../../calls/failure'
require_relative '../../paths/path_policy'
require_relative 'session'

module Vcad
  module Bridge
    module Server
      # The check of hello's params, in the order token, required params, protocol version, workspace.
      class Hello
        PROTOCOL = 1
        PROTOCOL_MINOR = 0
        REQUIRED = %w[name version agent].freeze

        # @param token [Token]
        # @param roots [Array<String>] allowed besides the workspace
        def initialize(token:, roots:)
          @token = token
          @roots = roots
        end

        # @return [Session] raises AUTH_REQUIRED, AUTH_INVALID, INVALID_HELLO or PROTOCOL_MISMATCH
        def handshake(params, connection_id)
          params = {} unless params.is_a?(Hash)
          @token.check(params['token'])
          check_identity(params)
          check_version(params['protocol_version']) unless params['protocol_version'].nil?
          Session.new(connection_id: connection_id, identity: params, token_digest: @token.digest,
                      paths: PathPolicy.new(workspace: params['workspace'], roots: @roots))
        end

        private

        def check_identity(params)
          missing = REQUIRED.reject { |name| params[name].is_a?(String) && !params[name].strip.empty? }
          missing << 'pid' unless pid?(params['pid'])
          return if missing.empty?

          expected = missing.first == 'pid' ? 'an integer' : 'a non-empty string'
          raise invalid("params.#{missing.first}", expected, missing)
        end

        def pid?(value)
          value.is_a?(Integer) || (value.is_a?(String) && value.match?(/\A\d+\z/))
        end

        def check_version(given)
          major = major_of(given)
          return if major == PROTOCOL

          raise invalid('params.protocol_version', 'an integer or "major.minor"') if major.nil?

          details = { 'expected_protocol' => PROTOCOL, 'actual_protocol' => given, 'operation' => 'hello' }
          raise Failure.new('PROTOCOL_MISMATCH', "Protocol #{given} is not spoken here; this is #{PROTOCOL}",
                            details: details, hint: 'Update the older of the two sides.')
        end

        def major_of(given)
          case given
          when Integer then given
          when Float then given.floor
          when /\A(\d+)(?:\.\d+)?\z/ then Regexp.last_match(1).to_i
          end
        end

        def invalid(path, expected, missing = [])
          details = { 'path' => path, 'expected' => expected }
          details['missing'] = missing unless missing.empty?
          Failure.new('INVALID_HELLO', "hello: #{path} must be #{expected}", details: details)
        end
      end
    end
  end
end
