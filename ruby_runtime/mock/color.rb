# frozen_string_literal: true

require 'color_names'

module Sketchup
  # Red, green, blue and alpha, each 0 to 255.
  class Color
    # @overload initialize(red, green, blue, alpha = 255)
    # @overload initialize(array_or_name_or_hex_or_integer_or_color)
    # @raise [ArgumentError] for what is no colour
    def initialize(*arguments)
      @values = Headless::ColorReading.read(arguments)
    end

    # @return [Array<String>] names that colours can be made from
    def self.names
      Headless::COLOR_NAMES.keys
    end

    def red
      @values[0]
    end

    def green
      @values[1]
    end

    def blue
      @values[2]
    end

    def alpha
      @values[3]
    end

    %i[red green blue alpha].each_with_index do |name, index|
      define_method(:"#{name}=") do |value|
        @values = @values.dup
        @values[index] = Headless::ColorReading.channel(value)
      end
    end

    def to_a
      @values.dup
    end

    # @return [Integer] red in the lowest byte
    def to_i
      @values[0] | (@values[1] << 8) | (@values[2] << 16) | (@values[3] << 24)
    end

    def to_s
      "Color(#{@values.map { |value| value.to_s.rjust(3) }.join(', ')})"
    end

    alias inspect to_s

    # @param weight [Float] of this colour, 0 to 1
    # @return [Sketchup::Color]
    def blend(other, weight)
      Color.new(to_a.zip(other.to_a).map { |mine, its| ((mine * weight) + (its * (1 - weight))).round })
    end

    def ==(other)
      other.is_a?(Color) && other.to_a == @values
    end
  end
end

module Headless
  # The forms in which the host takes colours.
  module ColorReading
    module_function

    # @return [Array<Integer>] four channels
    def read(arguments)
      first = arguments.first
      return [0, 0, 0, 255] if arguments.empty?
      return channels(arguments) if arguments.size > 1

      case first
      when Sketchup::Color then first.to_a
      when Array then channels(first)
      when Integer then [first & 255, (first >> 8) & 255, (first >> 16) & 255, 255]
      when String then named(first)
      else raise ArgumentError, "no colour: #{first.inspect}"
      end
    end

    def channels(values)
      raise ArgumentError, 'a colour has three or four numbers' unless values.size.between?(3, 4)

      values = values.map { |value| channel(value) }
      values.size == 3 ? values + [255] : values
    end

    # Floats run from 0 to 1.
    def channel(value)
      raise ArgumentError, "no colour channel: #{value.inspect}" unless value.is_a?(Numeric)

      value = (value * 255).round if value.is_a?(Float)
      value.to_i.clamp(0, 255)
    end

    def named(text)
      hex = text[/\A#?(\h{6})\z/, 1] if text.start_with?('#')
      hex ||= COLOR_NAMES.find { |name, _| name.casecmp?(text) }&.last
      raise ArgumentError, "no colour: #{text}" unless hex

      hex.scan(/../).map { |pair| pair.to_i(16) } + [255]
    end
  end
end
