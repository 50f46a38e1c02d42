# frozen_string_literal: true

require_relative 'failure'

module Vcad
  module Bridge
    # Typed reading of a tool's arguments. Every complaint is INVALID_PARAMS with details {path, expected}.
    # Without `default:` an argument is required; null counts as absent.
    class Arguments
      REQUIRED = Object.new.freeze
      private_constant :REQUIRED

      # @param values [Hash{String=>Object}] parsed JSON
      # @param prefix [String] where this hash lies, for nested values, e.g. "shots[2]"
      def initialize(values, prefix: '')
        raise invalid(prefix, 'an object') unless values.is_a?(Hash)

        @values = values
        @prefix = prefix
      end

      # @return [Boolean] given and not null
      def given?(name)
        !@values[name].nil?
      end

      # @return [Object, nil] the raw value
      def [](name)
        @values[name]
      end

      def to_h
        @values
      end

      def keys
        @values.keys
      end

      # Raises unless every name is given.
      def required!(*names)
        names.each { |name| raise invalid(at(name), 'a value') unless given?(name) }
      end

      def string(name, default: REQUIRED, pattern: nil, max: nil, empty: true)
        read(name, default, 'a string') do |value|
          next refuse(name, 'a string') unless value.is_a?(String)
          next refuse(name, "at most #{max} characters") if max && value.length > max
          next refuse(name, 'a non-empty string') if !empty && value.strip.empty?
          next refuse(name, "a string matching #{pattern.source}") if pattern && !value.match?(pattern)

          value
        end
      end

      # An integer, or a string of digits when `digits: true`.
      def integer(name, default: REQUIRED, range: nil, digits: false)
        expected = range ? "an integer in #{range}" : 'an integer'
        read(name, default, expected) do |value|
          value = value.to_i if digits && value.is_a?(String) && value.match?(/\A\d{1,18}\z/)
          value = value.to_i if value.is_a?(Float) && value.finite? && value == value.floor
          fits = value.is_a?(Integer) && (range.nil? || range.cover?(value))
          fits ? value : refuse(name, expected)
        end
      end

      # @return [Float] finite
      def number(name, default: REQUIRED, range: nil)
        expected = range ? "a number in #{range}" : 'a finite number'
        read(name, default, expected) do |value|
          fits = finite?(value) && (range.nil? || range.cover?(value))
          fits ? value.to_f : refuse(name, expected)
        end
      end

      def boolean(name, default: REQUIRED)
        read(name, default, 'true or false') do |value|
          [true, false].include?(value) ? value : refuse(name, 'true or false')
        end
      end

      # @return [Array<Float>] exactly `count` finite numbers (any number of them when nil)
      def numbers(name, count = nil, default: REQUIRED)
        expected = count ? "#{count} finite numbers" : 'an array of finite numbers'
        read(name, default, expected) do |value|
          fits = value.is_a?(Array) && (count.nil? || value.length == count) && value.all? { |n| finite?(n) }
          fits ? value.map(&:to_f) : refuse(name, expected)
        end
      end

      # @return [Array<Integer>]
      def integers(name, default: REQUIRED)
        read(name, default, 'an array of integers') do |value|
          fits = value.is_a?(Array) && value.all?(Integer)
          fits ? value : refuse(name, 'an array of integers')
        end
      end

      # @return [Array<String>]
      def strings(name, default: REQUIRED)
        read(name, default, 'an array of strings') do |value|
          fits = value.is_a?(Array) && value.all?(String)
          fits ? value : refuse(name, 'an array of strings')
        end
      end

      def one_of(name, choices, default: REQUIRED)
        expected = "one of #{choices.join(', ')}"
        read(name, default, expected) { |value| choices.include?(value) ? value : refuse(name, expected) }
      end

      # @return [Hash] a raw nested object
      def hash(name, default: REQUIRED)
        read(name, default, 'an object') { |value| value.is_a?(Hash) ? value : refuse(name, 'an object') }
      end

      # @return [Arguments] a nested object, with its place kept for messages
      def nested(name, default: REQUIRED)
        Arguments.new(hash(name, default: default), prefix: at(name))
      end

      # @return [Array] a raw array
      def list(name, default: REQUIRED)
        read(name, default, 'an array') { |value| value.is_a?(Array) ? value : refuse(name, 'an array') }
      end

      # Raises INVALID_PARAMS for this argument; for checks that only the tool can make.
      def refuse(name, expected)
        raise invalid(at(name), expected)
      end

      # @return [Failure] INVALID_PARAMS for the value at `path`
      def self.invalid(path, expected, message: nil)
        text = message || (path.empty? ? "Arguments must be #{expected}" : "#{path} must be #{expected}")
        Failure.new('INVALID_PARAMS', text, details: { 'path' => path, 'expected' => expected })
      end

      private

      def read(name, default, expected)
        value = @values[name]
        return yield(value) unless value.nil?
        return default unless default.equal?(REQUIRED)

        raise self.class.invalid(at(name), expected, message: "#{at(name)} is required: #{expected}")
      end

      def at(name)
        @prefix.empty? ? name.to_s : "#{@prefix}.#{name}"
      end

      def invalid(path, expected)
        self.class.invalid(path, expected)
      end

      def finite?(value)
        (value.is_a?(Integer) || value.is_a?(Float)) && value.to_f.finite?
      end
    end
  end
end
