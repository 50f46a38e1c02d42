# frozen_string_literal: true

module Headless
  # What the constructors of points and vectors accept.
  module PointArguments
    module_function

    # @param arguments [Array] nothing, three numbers, or one thing with coordinates
    # @return [Array(Float, Float, Float)]
    # @raise [ArgumentError]
    def read(arguments)
      case arguments.size
      when 0 then [0.0, 0.0, 0.0]
      when 1 then Coordinates.of(arguments[0])
      when 2, 3 then Coordinates.from_array(arguments)
      else raise ArgumentError, 'wrong number of arguments'
      end
    end

    # @return [Geom::Vector3d] the vector, with another length where one is given
    def stretched(vector, length)
      xyz = Coordinates.of(vector)
      return Coordinates.vector(xyz) unless length

      direction = Coordinates.unit(xyz) || raise(ArgumentError, 'Zero length vector')
      Coordinates.vector(direction.map { |value| value * length.to_f })
    end
  end

  # Planes and lines as the host takes them.
  module Planes
    module_function

    # @param plane [Array] [point, normal] or four coefficients, possibly in one more array
    # @return [Array<Float>] unit normal and offset
    def read(plane)
      plane = plane.first if plane.size == 1
      return scaled(plane.map(&:to_f)) if plane.size == 4

      point, normal = plane
      xyz = Coordinates.of(point)
      normal = Coordinates.unit(Coordinates.of(normal)) || raise(ArgumentError, 'Zero length normal')
      [*normal, -Coordinates.dot(normal, xyz)]
    end

    # @return [Array] start and unit direction, from [point, vector] or [point, point]
    def line(line)
      line = line.first if line.size == 1
      start = Coordinates.of(line[0])
      other = Coordinates.of(line[1])
      other = Coordinates.subtract(other, start) if line[1].is_a?(Geom::Point3d)
      [start, Coordinates.unit(other) || raise(ArgumentError, 'Line without direction')]
    end

    def signed_distance(plane, xyz)
      (plane[0] * xyz[0]) + (plane[1] * xyz[1]) + (plane[2] * xyz[2]) + plane[3]
    end

    def scaled(coefficients)
      length = Coordinates.norm(coefficients)
      raise ArgumentError, 'Plane without normal' if length < 1e-30

      coefficients.map { |value| value / length }
    end
  end
end
