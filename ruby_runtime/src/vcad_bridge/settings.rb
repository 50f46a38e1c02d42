# frozen_string_literal: true

module Vcad
  module Bridge
    # What the owner of this SketchUp decided: environment variables first, then what the menu stored.
    # Read when servers start; the evaluation switch is read at every use.
    class Settings
      SECTION = 'vcad_bridge'
      YES = /\A(?:1|true|yes|on)\z/i
      private_constant :YES

      # The values that the extension's menu keeps in SketchUp's preferences.
      class Stored
        def read(key)
          Sketchup.read_default(SECTION, key, nil)
        end

        def write(key, value)
          Sketchup.write_default(SECTION, key, value)
        end
      end

      # @return [Array<String>] values that could not be understood; their defaults hold
      attr_reader :complaints

      # @param environment [Hash{String=>String}]
      # @param stored [#read, #write]
      def initialize(environment = ENV.to_h, stored: Stored.new)
        @environment = environment
        @stored = stored
        @complaints = []
      end

      def bind_address
        text('VCAD_BRIDGE_BIND') || stored_text('bind_address') || '127.0.0.1'
      end

      # @return [Integer] 0 lets the system choose
      def port
        whole('SUPEX_PORT', 0..65_535) || stored_port('port') || 9876
      end

      def repl_port
        whole('SUPEX_REPL_PORT', 0..65_535) || stored_port('repl_port') || 4433
      end

      def repl?
        !flag?('SUPEX_REPL_DISABLED')
      end

      # @return [String, nil]
      def token
        text('SUPEX_AUTH_TOKEN') || stored_text('token')
      end

      def allow_remote?
        flag?('SUPEX_ALLOW_REMOTE')
      end

      # @return [Array<String>] folders besides the workspace; "*" switches the path policy off
      def allowed_roots
        roots = text('SUPEX_ALLOWED_ROOTS').to_s.split(File::PATH_SEPARATOR).map(&:strip).reject(&:empty?)
        roots << text('SUPEX_PROJECT_ROOT') if text('SUPEX_PROJECT_ROOT')
        roots
      end

      # @return [Float] seconds between ticks while nothing happens
      def check_interval
        real('SUPEX_CHECK_INTERVAL', 0.01..10.0) || 0.25
      end

      # @return [Float] seconds by which replies are held back; for tests
      def response_delay
        real('SUPEX_RESPONSE_DELAY', 0.0..60.0) || 0.0
      end

      # @return [Integer] ids kept for the next observer poll
      def observer_max_queue
        names = %w[VCAD_OBSERVER_MAX_QUEUE SUPEX_VCAD_OBSERVER_MAX_QUEUE SUPEX_OBSERVER_MAX_QUEUE]
        names.filter_map { |name| whole(name, 1..1_000_000) }.first || 2048
      end

      def verbose?
        flag?('SUPEX_VERBOSE')
      end

      def silent?
        flag?('SUPEX_SILENT')
      end

      def autostart?
        !flag?('SUPEX_NO_AUTOSTART') && @stored.read('autostart') != false
      end

      # Off unless the owner switched it on in the menu, or in the environment when the menu was never used.
      def allow_eval?
        stored = @stored.read('allow_eval')
        stored.nil? ? flag?('VCAD_BRIDGE_ALLOW_EVAL') : stored == true
      end

      # @param key [String] autostart, allow_eval, port, repl_port, token, bind_address
      def store(key, value)
        @stored.write(key, value)
      end

      private

      def text(name)
        value = @environment[name]
        value.nil? || value.strip.empty? ? nil : value
      end

      def flag?(name)
        text(name).to_s.match?(YES)
      end

      def stored_text(key)
        value = @stored.read(key)
        value.is_a?(String) && !value.strip.empty? ? value : nil
      end

      def stored_port(key)
        value = @stored.read(key)
        value.is_a?(Integer) && value.between?(1, 65_535) ? value : nil
      end

      def whole(name, range)
        checked(name, range) { |value| Integer(value, 10, exception: false) }
      end

      def real(name, range)
        checked(name, range) { |value| Float(value, exception: false) }
      end

      def checked(name, range)
        value = text(name)
        return nil unless value

        parsed = yield value
        return parsed if parsed && range.cover?(parsed)

        complaint = "#{name}=#{value} is ignored: it must be in #{range}"
        @complaints << complaint unless @complaints.include?(complaint)
        nil
      end
    end
  end
end
