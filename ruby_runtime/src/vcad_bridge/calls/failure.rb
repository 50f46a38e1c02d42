# frozen_string_literal: true

require_relative 'error_codes'

module Vcad
  module Bridge
    # A failure that the caller receives: a stable code, what was wrong, where, and what to do.
    class Failure < StandardError
      # @return [String] a name of ErrorCodes
      attr_reader :error_code
      # @return [Hash] plain JSON values
      attr_reader :details
      # @return [String, nil] what the caller can do about it
      attr_reader :hint

      def initialize(error_code, message, details: {}, hint: nil)
        super(message)
        @number = ErrorCodes.number(error_code)
        @error_code = error_code
        @details = details
        @hint = hint
      end

      # @param operation [String] what was asked for
      # @param error [Exception] a bug of ours, or of the host
      # @return [Failure] INTERNAL_ERROR
      def self.internal(operation, error)
        reason = error.message.to_s.scrub.lines.first.to_s.chomp
        new('INTERNAL_ERROR', "#{operation} failed: #{error.class}: #{reason}",
            details: { 'operation' => operation, 'class' => error.class.name })
      end

      # @return [Integer] the JSON-RPC error code
      attr_reader :number

      # @return [Hash] the `error` member of a reply; `extra` is merged below the failure's own details
      def to_error(extra = {})
        data = { 'success' => false, 'error_code' => error_code, 'details' => extra.merge(plain_details) }
        data['hint'] = hint if hint
        { 'code' => number, 'message' => message, 'data' => data }
      end

      private

      def plain_details
        details.transform_keys(&:to_s)
      end
    end
  end
end
