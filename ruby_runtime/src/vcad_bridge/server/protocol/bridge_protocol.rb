# frozen_string_literal: true

require 'securerandom'
require_relative '../../version'
require_relative 'hello'
require_relative 'protocol'
require_relative 'token'
require_relative 'tool_calls'

module Vcad
  module Bridge
    module Server
      # The methods of the bridge port: hello, ping, resources/list, tools/call, the observer tools by name.
      class BridgeProtocol < Protocol
        INSTANT_TOOLS = %w[ping console_capture_status].freeze
        ALWAYS = %w[dedupe.request_id model_guard].freeze

        # @param services [Services]
        def initialize(services, limits:)
          settings = services.settings
          super(clock: services.clock, log: services.log, limits: limits,
                response_delay: settings.response_delay)
          @services = services
          @token = Token.new(settings.token)
          @hello = Hello.new(token: @token, roots: settings.allowed_roots)
          @calls = ToolCalls.new(services)
          # Replies are remembered for as long as this run lasts; a client can tell runs apart.
          @started = SecureRandom.hex(8)
        end

        def instant?(request)
          super || INSTANT_TOOLS.include?(request.tool)
        end

        def disconnected(connection)
          @services.hooks.run(:disconnected, connection.session) if connection.session
        end

        def ticked
          @services.hooks.run(:tick)
        end

        private

        def answer(connection, request)
          case request.method_name
          when 'hello' then handshake(connection, request.params)
          when 'ping' then ping
          when 'resources/list' then call_tool('resources/list', request, connection)
          when 'tools/call' then @calls.run(request.params, connection.session)
          when /\Avcad\.observer_/ then call_tool(request.method_name, request, connection)
          else raise Failure.new('METHOD_NOT_FOUND', "Unknown method: #{request.method_name}")
          end
        end

        def call_tool(name, request, connection)
          @calls.run({ 'name' => name, 'arguments' => request.params }, connection.session)
        end

        def handshake(connection, params)
          session = @hello.handshake(params, connection.id)
          connection.session = session
          @services.console.follow(session.paths)
          @log.info("hello from #{session.agent} (#{session.name} #{session.version}), " \
                    "workspace #{session.paths.workspace || 'none'}")
          handshake_answer(session)
        end

        def handshake_answer(session)
          {
            'success' => true, 'message' => 'Client identified',
            'server' => { 'name' => NAME, 'version' => VERSION, 'started' => @started },
            'protocol_version' => Hello::PROTOCOL, 'protocol_minor' => Hello::PROTOCOL_MINOR,
            'session_id' => session.session_id, 'capabilities' => capabilities, 'limits' => limits,
            'sketchup' => host(session), 'workspace' => session.paths.workspace
          }
        end

        def capabilities
          optional = []
          optional << 'auth.required' if @token.required?
          optional << 'eval_ruby' if @services.settings.allow_eval?
          (@services.registry.capabilities + ALWAYS + optional).uniq.sort
        end

        def limits
          {
            'max_request_bytes' => @limits.request_bytes, 'max_response_bytes' => @limits.response_bytes,
            'observer_max_queue' => @services.settings.observer_max_queue,
            'slow_tools' => @services.registry.slow_tools
          }
        end

        def host(session)
          facts = { 'version' => Sketchup.version, 'platform' => platform, 'ruby' => RUBY_VERSION,
                    'mock' => @services.registry.capabilities.include?('test_control') }
          facts['path_policy'] = 'off' if session.paths.unrestricted?
          facts
        end

        def platform
          case Sketchup.platform
          when :platform_win then 'windows'
          when :platform_osx then 'macos'
          else Sketchup.platform.to_s
          end
        end

        def ping
          { 'status' => 'ok', 'version' => VERSION, 'message' => 'The bridge is running' }
        end

        def stamps(connection, started)
          connection.session ? @calls.stamps(started) : {}
        end
      end
    end
  end
end
