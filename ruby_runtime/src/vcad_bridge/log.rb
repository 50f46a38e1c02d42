# frozen_string_literal: true

require_relative 'server/protocol/codec'

module Vcad
  module Bridge
    # The runtime's own messages: always in the console log, on the console only when asked for or serious.
    class Log
      def initialize(console:, verbose: false, silent: false)
        @console = console
        @verbose = verbose
        @silent = silent
      end

      def debug(text)
        @console.note('D', text) if @verbose
      end

      def info(text)
        @console.note('I', text)
        @console.show("vcad bridge: #{text}") if @verbose && !@silent
      end

      # @param where [String] what was going on
      # @param error [Exception]
      def failure(where, error)
        message, *frames = Server::Codec.scrub([error.message.to_s, *Array(error.backtrace).first(10)])
        self.error("#{where}: #{error.class}: #{message}#{frames.map { |line| "\n  #{line}" }.join}")
      end

      def error(text)
        @console.note('E', text)
        @console.show("vcad bridge: #{text}") unless @silent
      end
    end
  end
end
