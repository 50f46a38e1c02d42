# frozen_string_literal: true

module Geom
  # A point in inches; its coordinates are lengths.
  class Point3d
    # @overload initialize
    # @overload initialize(x, y, z)
    # @overload initialize(point_or_vector_or_array)
    def initialize(*arguments)
      @xyz = Headless::PointArguments.read(arguments)
    end

    def self.linear_combination(weight1, point1, weight2, point2)
      first = Headless::Coordinates.of(point1)
      second = Headless::Coordinates.of(point2)
      Headless::Coordinates.point(first.zip(second).map { |a, b| (a * weight1) + (b * weight2) })
    end

    def x
      Headless::Units.length(@xyz[0])
    end

    def y
      Headless::Units.length(@xyz[1])
    end

    def z
      Headless::Units.length(@xyz[2])
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
      Headless::Units.length(@xyz.fetch(index))
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
      Headless::Coordinates.point([a[0] + b[0], a[1] + b[1], a[2] + b[2]])
    end

    # @return [Geom::Vector3d, Geom::Point3d] a vector between points, a point for a vector or array
    def -(other)
      step = Headless::Coordinates.subtract(@xyz, Headless::Coordinates.of(other))
      other.is_a?(Point3d) ? Headless::Coordinates.vector(step) : Headless::Coordinates.point(step)
    end

    def ==(other)
      return false unless other.is_a?(Point3d) || (other.is_a?(Array) && other.size == 3)

      Headless::Coordinates.same?(@xyz, Headless::Coordinates.of(other))
    end

    # Order by X, then Y, then Z; coordinates within tolerance are equal.
    def <(other)
      a = @xyz
      b = Headless::Coordinates.of(other)
      place = [0, 1, 2].find { |axis| (a[axis] - b[axis]).abs >= Headless::Units::TOLERANCE }
      place ? a[place] < b[place] : false
    end

    def offset(vector, length = nil)
      self + Headless::PointArguments.stretched(vector, length)
    end

    def offset!(vector, length = nil)
      @xyz = Headless::Coordinates.of(offset(vector, length))
      self
    end

    def distance(other)
      Headless::Units.length(
        Headless::Coordinates.norm(Headless::Coordinates.subtract(@xyz, Headless::Coordinates.of(other)))
      )
    end

    # @return [Float]
    def distance_to_line(*line)
      distance(project_to_line(*line)).to_f
    end

    # @return [Float]
    def distance_to_plane(*plane)
      Headless::Planes.signed_distance(Headless::Planes.read(plane), @xyz).abs
    end

    def on_line?(*line)
      distance_to_line(*line) < Headless::Units::TOLERANCE
    end

    def on_plane?(*plane)
      distance_to_plane(*plane) < Headless::Units::TOLERANCE
    end

    def project_to_line(*line)
      start, direction = Headless::Planes.line(line)
      along = Headless::Coordinates.dot(Headless::Coordinates.subtract(@xyz, start), direction)
      Headless::Coordinates.point(start.zip(direction).map { |a, d| a + (d * along) })
    end

    def project_to_plane(*plane)
      coefficients = Headless::Planes.read(plane)
      away = Headless::Planes.signed_distance(coefficients, @xyz)
      Headless::Coordinates.point(@xyz.zip(coefficients).map { |a, n| a - (n * away) })
    end

    def vector_to(other)
      Headless::Coordinates.vector(Headless::Coordinates.subtract(Headless::Coordinates.of(other), @xyz))
    end

    def transform(transformation)
      Headless::Coordinates.point(
        Headless::Coordinates.transform(Headless::Coordinates.matrix(transformation), @xyz)
      )
    end

    def transform!(transformation)
      @xyz = Headless::Coordinates.transform(Headless::Coordinates.matrix(transformation), @xyz)
      self
    end

    # @return [Array<Length>]
    def to_a
      @xyz.map { |value| Headless::Units.length(value) }
    end

    def to_s
      "(#{to_a.join(', ')})"
    end

    def inspect
      "Point3d(#{@xyz.map { |value| format('%g', value) }.join(', ')})"
    end
  end
end
