# frozen_string_literal: true

require 'json'
require_relative '../../calls/failure'

module Vcad
  module Bridge
    module Server
      # One JSON value per line: strict when reading, forgiving when writing.
      module Codec
        NESTING = 100
        # Possessive, and content with the line's end for a closing quote: no line makes it go back.
        STRING = /"(?:[^"\\]|\\.)*+(?:"|\z)/m
        HALF_PAIR = /\\u[dD][89a-fA-F]/
        private_constant :STRING, :HALF_PAIR

        class << self
          # @param line [String] without its line end
          # @return [Object] raises Failure PARSE_ERROR
          def parse(line)
            raise parse_error('invalid UTF-8') unless line.valid_encoding?
            raise parse_error('comments are not JSON') if comment?(line)

            value = JSON.parse(line, max_nesting: NESTING, allow_nan: false, create_additions: false)
            raise parse_error('half a surrogate pair') if line.match?(HALF_PAIR) && !text?(value)

            value
          rescue JSON::NestingError
            raise parse_error("nested deeper than #{NESTING} levels")
          rescue JSON::ParserError
            raise parse_error('not a JSON value')
          end

          # @return [String] one line with its LF; bad text becomes U+FFFD, NaN and Infinity null
          def generate(value)
            "#{JSON.generate(value, max_nesting: 0)}\n"
          rescue JSON::GeneratorError, EncodingError
            "#{JSON.generate(scrub(value), max_nesting: 0)}\n"
          end

          # @return [Object] the same value with every string valid UTF-8 and every number finite
          def scrub(value)
            case value
            when Hash then value.to_h { |key, inner| [scrub(key.to_s), scrub(inner)] }
            when Array then value.map { |inner| scrub(inner) }
            when String, Symbol then scrub_text(value.to_s)
            when Float then value.finite? ? value : nil
            when Integer, true, false, nil then value
            else scrub(value.to_s)
            end
          end

          private

          # Ruby's parser reads /* */ and // comments, which are not JSON.
          def comment?(line)
            return false unless line.include?('/*') || line.include?('//')

            line.gsub(STRING, '').include?('/')
          end

          # @return [Boolean] every string is valid UTF-8, keys too
          def text?(value)
            case value
            when Hash then value.all? { |key, inner| key.valid_encoding? && text?(inner) }
            when Array then value.all? { |inner| text?(inner) }
            when String then value.valid_encoding?
            else true
            end
          end

          def scrub_text(text)
            text = text.dup.force_encoding(Encoding::UTF_8) if text.encoding == Encoding::BINARY
            return text.scrub("\uFFFD") if text.encoding == Encoding::UTF_8

            text.encode(Encoding::UTF_8, invalid: :replace, undef: :replace, replace: "\uFFFD")
          end

          def parse_error(reason)
            Failure.new('PARSE_ERROR', "Parse error: #{reason}", details: { 'reason' => reason })
          end
        end
      end
    end
  end
end
