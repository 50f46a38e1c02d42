# frozen_string_literal: true

module Geom
  # A 4 by 4 matrix, column major, translation in inches. A uniform scale stands in element 15 as its
  # inverse, as the host keeps it; readers have to divide through.
  class Transformation
    # @see Headless::TransformationArguments.read for what is accepted
    def initialize(*arguments)
      @matrix = Headless::TransformationArguments.read(arguments)
    end

    class << self
      # @param vector [Geom::Vector3d, Geom::Point3d, Array]
      def translation(vector)
        Headless::Coordinates.transformation(
          Headless::Axes.matrix(Headless::TransformationArguments::UNIT_AXES,
                                Headless::Coordinates.of(vector))
        )
      end

      # @param angle [Float] radians
      def rotation(point, axis, angle)
        Headless::Coordinates.transformation(
          Headless::Axes.rotation(Headless::Coordinates.of(point), Headless::Coordinates.of(axis), angle.to_f)
        )
      end

      # One factor or three, about the origin or a point.
      def scaling(*arguments)
        Headless::Coordinates.transformation(Headless::TransformationArguments.scaling(arguments))
      end

      # The axes are squared and made unit vectors, as in the host.
      def axes(origin, xaxis, yaxis, zaxis = nil)
        given = [xaxis, yaxis, zaxis].compact.map { |axis| Headless::Coordinates.of(axis) }
        Headless::Coordinates.transformation(
          Headless::Axes.matrix(Headless::Axes.squared(*given), Headless::Coordinates.of(origin))
        )
      end

      # @param weight [Float] 0 gives the first, 1 the second
      def interpolate(transform1, transform2, weight)
        Headless::Coordinates.transformation(
          Headless::Interpolation.between(
            Headless::Coordinates.matrix(transform1), Headless::Coordinates.matrix(transform2), weight.to_f
          )
        )
      end
    end

    # @param other [Geom::Transformation, Geom::Point3d, Geom::Vector3d, Array]
    def *(other)
      case other
      when Transformation
        Headless::Coordinates.transformation(
          Headless::Coordinates.product(@matrix, Headless::Coordinates.matrix(other))
        )
      when Vector3d, Point3d then other.transform(self)
      when Array then Point3d.new(other).transform(self)
      else raise ArgumentError, "Cannot multiply a transformation by #{other.class}"
      end
    end

    def ==(other)
      return false unless other.is_a?(Transformation)

      @matrix.zip(Headless::Coordinates.matrix(other)).all? { |a, b| (a - b).abs < 1e-9 }
    end

    def identity?
      @matrix.zip(Headless::TransformationArguments::IDENTITY).all? { |a, b| (a - b).abs < 1e-9 }
    end

    # @raise [ArgumentError] when the matrix has no inverse
    def inverse
      Headless::Coordinates.transformation(Headless::Inversion.of(@matrix))
    end

    def invert!
      @matrix = Headless::Inversion.of(@matrix)
      self
    end

    def origin
      Headless::Coordinates.point(Headless::Coordinates.transform(@matrix, [0.0, 0.0, 0.0]))
    end

    def xaxis
      Headless::Coordinates.vector(Headless::Coordinates.turn(@matrix, [1.0, 0.0, 0.0]))
    end

    def yaxis
      Headless::Coordinates.vector(Headless::Coordinates.turn(@matrix, [0.0, 1.0, 0.0]))
    end

    def zaxis
      Headless::Coordinates.vector(Headless::Coordinates.turn(@matrix, [0.0, 0.0, 1.0]))
    end

    def set!(*arguments)
      @matrix = Headless::TransformationArguments.read(arguments)
      self
    end

    # @return [Array<Float>] 16 numbers, column major
    def to_a
      @matrix.dup
    end
  end
end
