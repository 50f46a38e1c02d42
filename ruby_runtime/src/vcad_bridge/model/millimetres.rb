# frozen_string_literal: true

module Vcad
  module Bridge
    # The border between the host's inches and the bridge's millimetres. Everything that leaves is a Float:
    # the host's Length serialises as a display string.
    module Millimetres
      PER_INCH = 25.4
      # Corners of an empty BoundingBox lie about 1e30 inches away.
      FARTHEST = 1.0e20

      module_function

      # @param length [Numeric, Length] inches
      # @return [Float] millimetres
      def from_inches(length)
        length.to_f * PER_INCH
      end

      # @param length [Numeric] millimetres
      # @return [Float] inches
      def inches(length)
        length.to_f / PER_INCH
      end

      # @param point [Geom::Point3d, Geom::Vector3d]
      # @return [Array<Float>] three millimetres
      def point(point)
        [from_inches(point.x), from_inches(point.y), from_inches(point.z)]
      end

      # @param coordinates [Array<Numeric>] three millimetres
      # @return [Geom::Point3d]
      def to_point(coordinates)
        Geom::Point3d.new(*coordinates.map { |value| inches(value) })
      end

      # @param box [Geom::BoundingBox]
      # @return [Hash, nil] `{"min", "max"}` in millimetres; nil for an empty box
      def bounds(box)
        return nil if empty?(box)

        { 'min' => point(box.min), 'max' => point(box.max) }
      end

      # @param transformation [Geom::Transformation]
      # @return [Array<Float>] 16 numbers, column major, translation in millimetres, last element 1
      def matrix(transformation)
        numbers = transformation.to_a.map(&:to_f)
        divisor = numbers[15]
        numbers = numbers.map { |number| number / divisor }
        (12..14).each { |index| numbers[index] *= PER_INCH }
        numbers.map { |number| number + 0.0 }
      end

      # @param numbers [Array<Numeric>] 16 numbers as `matrix` gives them
      # @return [Geom::Transformation]
      def transformation(numbers)
        values = numbers.map(&:to_f)
        values = values.map { |value| value / values[15] }
        (12..14).each { |index| values[index] /= PER_INCH }
        Geom::Transformation.new(values)
      end

      def empty?(box)
        box.nil? || box.empty? || box.min.x.to_f.abs > FARTHEST
      end
    end
  end
end
