# frozen_string_literal: true

require_relative '../calls/arguments'
require_relative '../calls/evaluation'
require_relative '../server/protocol/protocol'
require_relative '../server/protocol/token'
require_relative '../version'
require_relative 'snippets'

module Vcad
  module Bridge
    module Repl
      # The methods of the REPL port: hello, eval, ping. Locals persist across clients.
      class ReplProtocol < Server::Protocol
        OUTPUT = 1_048_576

        # @param services [Services]
        def initialize(services, limits:, snippets: Snippets.new(folder: services.console.folder))
          super(clock: services.clock, log: services.log, limits: limits)
          @token = Server::Token.new(services.settings.token)
          @evaluation = Evaluation.new(settings: services.settings, console: services.console)
          @snippets = snippets
          @binding = Evaluation.fresh_binding
        end

        private

        def answer(connection, request)
          case request.method_name
          when 'hello' then handshake(connection, request.params)
          when 'ping' then { 'status' => 'ok' }
          when 'eval' then evaluate(request.params)
          else raise Failure.new('METHOD_NOT_FOUND', "Unknown method: #{request.method_name}")
          end
        end

        def require_hello(connection, request)
          super unless request.method_name == 'ping'
        end

        def handshake(connection, params)
          @token.check(params.is_a?(Hash) ? params['token'] : nil)
          connection.session = @snippets.session
          { 'success' => true, 'session' => @snippets.session,
            'server' => { 'name' => NAME, 'version' => VERSION } }
        end

        def evaluate(params)
          @evaluation.require_allowed
          code = Arguments.new(params.nil? ? {} : params, prefix: 'params').string('code')
          file = @snippets.store(code)
          { 'success' => true,
            'output' => @evaluation.transcript(code, binding: @binding, file: file, limit: OUTPUT) }
        end
      end
    end
  end
end
