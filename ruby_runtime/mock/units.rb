# frozen_string_literal: true

# Lengths as the host has them: inches inside, and a class of their own that is no Float.

module Headless
  # Inches in one unit; the numbers are exact, as 25.4 mm are one inch.
  module Units
    INCHES = {
      mm: 1.0 / 25.4, cm: 10 / 25.4, m: 1000 / 25.4, km: 1_000_000 / 25.4,
      inch: 1.0, feet: 12.0, yard: 36.0, mile: 63_360.0
    }.freeze
    # The same the other way, so that 1.inch.to_mm is 25.4 and not its neighbour.
    PER_INCH = {
      mm: 25.4, cm: 2.54, m: 0.0254, km: 0.0000254,
      inch: 1.0, feet: 1 / 12.0, yard: 1 / 36.0, mile: 1 / 63_360.0
    }.freeze
    # Index in the host's LengthUnit option.
    BY_OPTION = %i[inch feet mm cm m yard].freeze
    OPTION_NAMES = { 'inches' => 'inch', 'millimeters' => 'mm', 'centimeters' => 'cm', 'meters' => 'm',
                     'foot' => 'feet', 'yards' => 'yard' }.freeze
    SUFFIXES = { inch: '"', feet: "'", mm: ' mm', cm: ' cm', m: ' m', yard: ' yd' }.freeze
    TOLERANCE = 0.001

    class << self
      # What lengths are displayed in: a callable that returns [unit, decimals].
      attr_writer :display

      # @return [Array(Symbol, Integer)] unit and decimals of the active model
      def display
        (@display || DEFAULT_DISPLAY).call
      end

      # @param name [String, Symbol, nil] as options of importers and exporters name units; nil and model
      #   are the model's
      # @return [Float] inches in one such unit
      # @raise [ArgumentError]
      def inches_in(name)
        name = (name || 'model').to_s.downcase
        unit = name == 'model' ? display.first : OPTION_NAMES.fetch(name, name).to_sym
        INCHES.fetch(unit) { raise ArgumentError, "Unknown unit #{name}" }
      end

      # @param value [Float] inches
      # @return [Length]
      def length(value)
        Length.__send__(:new, value)
      end

      # @param inches [Float]
      # @return [String] rounded to the model's precision, `~` in front when rounding lost something
      def format(inches)
        unit, decimals = display
        value = inches * PER_INCH.fetch(unit)
        rounded = value.round(decimals)
        text = Kernel.format("%.#{decimals}f", rounded) + SUFFIXES.fetch(unit)
        (value - rounded).abs * INCHES.fetch(unit) > 1e-9 ? "~ #{text}" : text
      end
    end

    DEFAULT_DISPLAY = -> { [:mm, 1] }
  end
end

# A length in inches. Arithmetic leaves the class, as in the host; a JSON generator that knows
# nothing of it writes the display string, which is why results need `to_f`.
class Length < Numeric
  private_class_method :new

  def initialize(value)
    super()
    @inches = value.to_f
  end

  # @return [Float] inches
  def to_f
    @inches
  end

  def to_i
    @inches.to_i
  end

  def to_int
    @inches.to_i
  end

  def to_l
    self
  end

  def to_s
    Headless::Units.format(@inches)
  end

  def inspect
    @inches.inspect
  end

  def coerce(other)
    [Float(other), @inches]
  end

  def +(other)
    @inches + other.to_f
  end

  def -(other)
    @inches - other.to_f
  end

  def *(other)
    other.is_a?(Numeric) ? @inches * other.to_f : other * @inches
  end

  def /(other)
    @inches / other.to_f
  end

  def %(other)
    @inches % other.to_f
  end

  def **(other)
    @inches**other.to_f
  end

  def -@
    -@inches
  end

  def abs
    @inches.abs
  end

  def floor(*digits)
    @inches.floor(*digits)
  end

  def ceil(*digits)
    @inches.ceil(*digits)
  end

  def round(*digits)
    @inches.round(*digits)
  end

  def truncate(*digits)
    @inches.truncate(*digits)
  end

  def zero?
    self == 0
  end

  # Equal lengths compare as equal within 0.001 inch.
  def <=>(other)
    return nil unless other.is_a?(Numeric)

    difference = @inches - other.to_f
    difference.abs < Headless::Units::TOLERANCE ? 0 : difference <=> 0.0
  end

  def ==(other)
    (self <=> other) == 0
  end

  def <(other)
    compare(other).negative?
  end

  def >(other)
    compare(other).positive?
  end

  def <=(other)
    compare(other) <= 0
  end

  def >=(other)
    compare(other) >= 0
  end

  def eql?(other)
    other.is_a?(Length) && other.hash == hash
  end

  def hash
    @inches.hash
  end

  private

  def compare(other)
    (self <=> other) || raise(ArgumentError, "comparison of Length with #{other.class} failed")
  end
end

# The host's additions to numbers.
class Numeric
  Headless::Units::INCHES.each_key do |unit|
    per_inch = Headless::Units::PER_INCH.fetch(unit)
    inches = Headless::Units::INCHES.fetch(unit)
    metric = %i[mm cm m km].include?(unit)
    # Dividing by 25.4 is exact where multiplying with its rounded inverse is not.
    define_method(unit) { Headless::Units.length(metric ? to_f / per_inch : to_f * inches) }
    define_method(:"to_#{unit}") { metric ? to_f * per_inch : to_f / inches }
  end

  def to_l
    Headless::Units.length(to_f)
  end

  def degrees
    to_f * Math::PI / 180
  end

  def radians
    to_f * 180 / Math::PI
  end
end

# The host's addition to texts.
class String
  LENGTH_PARTS = {
    'mm' => :mm, 'cm' => :cm, 'm' => :m, 'km' => :km, '"' => :inch, 'in' => :inch, "'" => :feet,
    'ft' => :feet, 'yd' => :yard, 'mi' => :mile
  }.freeze
  LENGTH_PART = %r{
    \s*(\d*\.?\d+(?:[eE][-+]?\d+)?|\d+\.)(?:\s+(\d+)/(\d+)|/(\d+))?\s*(mm|cm|km|mi|m|in|ft|yd|"|'|)
  }x
  private_constant :LENGTH_PARTS, :LENGTH_PART

  # Reads "10mm", "1'", "1' 6 1/2\"" or a number in the model's unit.
  # @return [Length]
  # @raise [ArgumentError] when the text is no length
  def to_l
    text = strip.sub(/\A~\s*/, '')
    sign = text.start_with?('-') ? -1 : 1
    text = text.sub(/\A[-+]/, '')
    raise ArgumentError, "no Length: #{inspect}" unless text.match?(/\A(?:#{LENGTH_PART})+\s*\z/)

    inches = text.scan(LENGTH_PART).sum { |part| length_part(*part) }
    Headless::Units.length(sign * inches)
  end

  private

  def length_part(number, numerator, denominator, divisor, suffix)
    value = number.to_f
    value += numerator.to_f / denominator.to_i if numerator
    value /= divisor.to_f if divisor
    unit = LENGTH_PARTS[suffix] || Headless::Units.display.first
    value.public_send(unit).to_f
  end
end
