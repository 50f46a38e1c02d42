# frozen_string_literal: true

require_relative 'server/protocol/bridge_protocol'
require_relative 'server/heartbeat'
require_relative 'server/line_server'
require_relative 'repl/repl_protocol'

module Vcad
  module Bridge
    # The two servers and their timers: start, stop, status.
    class Runtime
      attr_reader :services
      # @return [String, nil] why the last start did not work
      attr_reader :failure

      # @param services [Services]
      def initialize(services, limits: Server::DEFAULT_LIMITS)
        @services = services
        @settings = services.settings
        @limits = limits
        @served = []
        @ticking = @stop_wanted = false
      end

      # Listens on both ports. Raises ArgumentError for a forbidden address, SystemCallError for a taken port.
      def start
        return if running?

        @failure = nil
        @bridge = serve(Server::BridgeProtocol.new(services, limits: @limits), @settings.port)
        @repl = start_repl if @settings.repl?
        services.console.start
        announce
      rescue ArgumentError, SystemCallError => e
        @failure = "The bridge cannot listen on #{@settings.bind_address}:#{@settings.port}: #{e.message}"
        services.log.error(@failure)
        close_servers
        raise
      end

      # Lets the running tool finish and its reply out, then closes everything.
      def stop
        return @stop_wanted = true if @ticking

        services.hooks.run(:stopping) if running?
        close_servers
        services.watch_lists.stop
        services.console.stop
      end

      # Stops for good, leaving no observer behind.
      def dispose
        stop
        services.watch_lists.close
        services.journal.close
      end

      def running?
        !@bridge.nil?
      end

      def bridge_port
        @bridge&.port
      end

      def repl_port
        @repl&.port
      end

      # @return [Array<IO>] whatever is worth waking for
      def sockets
        @served.flat_map { |server, _| server.sockets }
      end

      # One turn of both servers, for an event loop that knows better than the timers when there is something.
      def tick
        @served.dup.each { |_, heartbeat| heartbeat.beat }
      end

      # @return [Hash] for the menu
      def status
        { running: running?, bridge_port: bridge_port, repl_port: repl_port, failure: failure,
          clients: @bridge ? @bridge.connection_count : 0, allow_eval: @settings.allow_eval? }
      end

      # Runs the block when the reply of the running tool is out.
      def soon(seconds = 0.1, &block)
        UI.start_timer(seconds, false, &block)
      end

      private

      def announce
        @settings.complaints.each { |complaint| services.log.error(complaint) }
        services.log.info("listening on #{@settings.bind_address}, bridge #{bridge_port}, " \
                          "repl #{repl_port || 'off'}")
      end

      def serve(protocol, port, limits = @limits)
        address = Server::Address.new(host: @settings.bind_address, port: port, token: @settings.token,
                                      allow_remote: @settings.allow_remote?)
        server = Server::LineServer.new(address: address, protocol: protocol, clock: services.clock,
                                        log: services.log, limits: limits)
        server.start
        turn = Turn.new(server) { |&work| guarded(&work) }
        heartbeat = Server::Heartbeat.new(turn, interval: @settings.check_interval, log: services.log)
        heartbeat.start
        @served << [server, heartbeat]
        server
      end

      # People leave a REPL open for hours. A taken port is no reason to do without the bridge.
      def start_repl
        limits = @limits.dup.tap { |patient| patient.idle = Float::INFINITY }
        serve(Repl::ReplProtocol.new(services, limits: limits), @settings.repl_port, limits)
      rescue SystemCallError => e
        services.log.error("The REPL cannot listen on port #{@settings.repl_port}: #{e.message}")
        nil
      end

      # While a tool of one server waits in a modal dialog, the other server waits too.
      def guarded
        return if @ticking

        begin
          @ticking = true
          yield
        ensure
          @ticking = false
          stop_now if @stop_wanted
        end
      end

      def stop_now
        @stop_wanted = false
        stop
      end

      def close_servers
        @served.each do |server, heartbeat|
          heartbeat.stop
          server.stop
        end
        @served.clear
        @bridge = @repl = nil
      end

      # A server's tick inside the runtime's bookkeeping.
      class Turn
        def initialize(server, &around)
          @server = server
          @around = around
        end

        def tick
          @around.call { @server.tick }
        end

        def traffic_within?(seconds)
          @server.traffic_within?(seconds)
        end
      end
      private_constant :Turn
    end
  end
end
