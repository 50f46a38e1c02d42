# frozen_string_literal: true

require_relative 'failure'
require_relative '../server/protocol/codec'

module Vcad
  module Bridge
    # Runs Ruby code that a client sent, if the owner of this SketchUp allows it.
    class Evaluation
      # Frames are compared by bytes: on Windows they carry different encodings.
      HERE = __FILE__.b.freeze
      private_constant :HERE

      # @param settings [Settings]
      # @param console [ConsoleCapture]
      def initialize(settings:, console:)
        @settings = settings
        @console = console
      end

      # @return [Binding] the top level; locals of one binding do not reach another
      def self.fresh_binding
        TOPLEVEL_BINDING.dup
      end

      # Raises Failure EVAL_DISABLED.
      def require_allowed
        return if @settings.allow_eval?

        raise Failure.new('EVAL_DISABLED', 'Ruby evaluation is switched off',
                          hint: 'Switch on "Allow Ruby evaluation" in Extensions > vcad bridge > Settings.')
      end

      # @param file [String] name for backtraces
      # @return [Array(Object, String)] value and output. Raises Failure EVAL_DISABLED or RUBY_ERROR.
      def run(code, file:, binding: self.class.fresh_binding)
        output = +''
        [perform(code, binding, file, output), output]
      rescue NoMemoryError, SignalException, Failure
        raise
      rescue Exception => e # rubocop:disable Lint/RescueException -- ScriptError and SystemExit count too
        raise ruby_error(e, file, output)
      end

      # Like `run`, for people: an exception is part of the text.
      # @return [String] what was printed, then the value or the exception
      def transcript(code, binding:, file:, limit:)
        output = +''
        value = perform(code, binding, file, output, limit) { |result| result.inspect.to_s }
        "#{finished(output)}=> #{value}\n"
      rescue NoMemoryError, SignalException, Failure
        raise
      rescue Exception => e # rubocop:disable Lint/RescueException -- shown to who typed it
        lines = own_backtrace(e).first(5).map { |line| "  #{line}\n" }
        "#{finished(output)}#<#{e.class}: #{message(e)}>\n#{lines.join}"
      end

      private

      def perform(code, binding, file, output, limit = 65_536)
        require_allowed
        @console.record(output, limit: limit) do
          value = binding.eval(code, file, 1)
          block_given? ? yield(value) : value
        end
      end

      def finished(output)
        output.empty? || output.end_with?("\n") ? output : "#{output}\n"
      end

      def ruby_error(error, file, output)
        kind = error.is_a?(SyntaxError) ? 'syntax' : 'evaluation'
        details = { 'class' => error.class.name, 'file' => file, 'line' => line_of(error, file),
                    'backtrace' => own_backtrace(error).first(10) }
        details['output'] = output unless output.empty?
        failure = Failure.new('RUBY_ERROR', "Ruby #{kind} error: #{error.class}: #{message(error)}",
                              details: details)
        failure.set_backtrace(error.backtrace)
        failure
      end

      # Without the bridge's own frames below the code.
      def own_backtrace(error)
        Array(error.backtrace).take_while { |line| !line.b.start_with?(HERE) }
                              .map { |line| Server::Codec.scrub(line) }
      end

      def message(error)
        Server::Codec.scrub(error.message.to_s)
      end

      def line_of(error, file)
        start = "#{file}:".b
        places = Array(error.backtrace) + [error.message.to_s]
        place = places.map(&:b).find { |line| line.start_with?(start) }
        place&.delete_prefix(start)&.slice(/\A\d+/)&.to_i
      end
    end
  end
end
