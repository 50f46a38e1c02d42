# frozen_string_literal: true

require 'digest'
require_relative '../../calls/failure'

module Vcad
  module Bridge
    module Server
      # The shared secret of this server, if it has one.
      class Token
        attr_reader :digest

        def initialize(secret)
          @required = !secret.to_s.empty?
          @digest = Digest::SHA256.digest(secret.to_s)
        end

        def required?
          @required
        end

        # Raises Failure AUTH_REQUIRED or AUTH_INVALID. Takes the same time for every wrong token.
        def check(given)
          return unless required?
          raise Failure.new('AUTH_REQUIRED', 'This server needs a token', hint: HINT) if given.nil?
          return if given.is_a?(String) && same?(Digest::SHA256.digest(given))

          raise Failure.new('AUTH_INVALID', 'The token is wrong', hint: HINT)
        end

        HINT = 'Set SUPEX_AUTH_TOKEN to the same value on both sides.'
        private_constant :HINT

        private

        def same?(other)
          difference = 0
          @digest.each_byte.zip(other.each_byte) { |own, theirs| difference |= own ^ theirs }
          difference.zero?
        end
      end
    end
  end
end
