# frozen_string_literal: true

module Geom
  # A direction with a length; its components are plain Floats.
  class Vector3d
    # @overload initialize
    # @overload initialize(x, y, z)
    # @overload initialize(vector_or_point_or_array)
    def initialize(*arguments)
      @xyz = Headless::PointArguments.read(arguments)
    end

    def self.linear_combination(*arguments)
      pairs = arguments.each_slice(2).map { |weight, vector| [weight.to_f, Headless::Coordinates.of(vector)] }
      Headless::Coordinates.vector([0, 1, 2].map { |axis| pairs.sum { |weight, xyz| weight * xyz[axis] } })
    end

    def x
      @xyz[0]
    end

    def y
      @xyz[1]
    end

    def z
      @xyz[2]
    end

    def x=(value)
      self[0] = value
    end

    def y=(value)
      self[1] = value
    end

    def z=(value)
      self[2] = value
    end

    def [](index)
      @xyz.fetch(index)
    end

    def []=(index, value)
      changed = @xyz.dup
      changed[index] = Headless::Coordinates.number(value)
      @xyz = changed
    end

    def set!(*arguments)
      @xyz = Headless::PointArguments.read(arguments)
      self
    end

    def +(other)
      a = @xyz
      b = Headless::Coordinates.of(other)
      Headless::Coordinates.vector([a[0] + b[0], a[1] + b[1], a[2] + b[2]])
    end

    def -(other)
      Headless::Coordinates.vector(Headless::Coordinates.subtract(@xyz, Headless::Coordinates.of(other)))
    end

    # The cross product, not a scaled vector.
    def *(other)
      cross(other)
    end

    def cross(other)
      Headless::Coordinates.vector(Headless::Coordinates.cross(@xyz, Headless::Coordinates.of(other)))
    end

    # The dot product.
    def %(other)
      dot(other)
    end

    def dot(other)
      Headless::Coordinates.dot(@xyz, Headless::Coordinates.of(other))
    end

    def ==(other)
      return false unless other.is_a?(Vector3d) || (other.is_a?(Array) && other.size == 3)

      Headless::Coordinates.same?(@xyz, Headless::Coordinates.of(other))
    end

    def <(other)
      (@xyz <=> Headless::Coordinates.of(other)).negative?
    end

    def length
      Headless::Units.length(Headless::Coordinates.norm(@xyz))
    end

    def length=(value)
      @xyz = Headless::Coordinates.of(Headless::PointArguments.stretched(self, value))
    end

    def normalize
      Headless::Coordinates.vector(Headless::Coordinates.unit(@xyz) || @xyz)
    end

    def normalize!
      @xyz = Headless::Coordinates.unit(@xyz) || @xyz
      self
    end

    def reverse
      Headless::Coordinates.vector(@xyz.map(&:-@))
    end

    def reverse!
      @xyz = @xyz.map(&:-@)
      self
    end

    # @return [Float] radians, 0 to pi
    def angle_between(other)
      xyz = Headless::Coordinates.of(other)
      sine = Headless::Coordinates.norm(Headless::Coordinates.cross(@xyz, xyz))
      Math.atan2(sine, Headless::Coordinates.dot(@xyz, xyz))
    end

    def parallel?(other)
      angle = angle_between(other)
      [angle, Math::PI - angle].min < Headless::Units::TOLERANCE
    end

    def perpendicular?(other)
      (angle_between(other) - (Math::PI / 2)).abs < Headless::Units::TOLERANCE
    end

    def samedirection?(other)
      angle_between(other) < Headless::Units::TOLERANCE
    end

    def unitvector?
      (Headless::Coordinates.norm(@xyz) - 1).abs < Headless::Units::TOLERANCE
    end

    def valid?
      Headless::Coordinates.norm(@xyz) > Headless::Units::TOLERANCE
    end

    # @return [Array<Geom::Vector3d>] three axes, the last one this vector's direction
    def axes
      Headless::Axes.around(@xyz).map { |axis| Headless::Coordinates.vector(axis) }
    end

    def transform(transformation)
      Headless::Coordinates.vector(
        Headless::Coordinates.turn(Headless::Coordinates.matrix(transformation), @xyz)
      )
    end

    def transform!(transformation)
      @xyz = Headless::Coordinates.turn(Headless::Coordinates.matrix(transformation), @xyz)
      self
    end

    # @return [Array<Float>]
    def to_a
      @xyz.dup
    end

    def to_s
      "(#{@xyz.join(', ')})"
    end

    def inspect
      "Vector3d(#{@xyz.map { |value| format('%g', value) }.join(', ')})"
    end
  end
end
