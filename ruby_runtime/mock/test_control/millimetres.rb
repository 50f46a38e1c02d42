# frozen_string_literal: true

module Headless
  module TestControl
    # Millimetres outside, inches inside. On its own, so that a mistake in the runtime's conversions is
    # not made twice.
    module Millimetres
      INCH = 25.4

      module_function

      # @param values [Array<Numeric>] x, y, z in mm
      def point(values)
        raise ArgumentError, "three numbers, not #{values.inspect}" unless triple?(values)

        Geom::Point3d.new(*values.map { |value| value / INCH })
      end

      # @param values [Array<Numeric>] 16, column major, translation in mm
      def transformation(values)
        raise ArgumentError, '16 numbers' unless values.is_a?(Array) && values.size == 16

        Geom::Transformation.new([*values[0, 12], *values[12, 3].map { |value| value / INCH }, values[15]])
      end

      # @return [Array<Float>] 16, column major, translation in mm, last element 1
      # (a uniform scale stands in the last element and divides everything)
      def matrix(transformation)
        values = transformation.to_a.map(&:to_f)
        scale = values[15]
        values.each_with_index.map { |value, at| value / scale * (at.between?(12, 14) ? INCH : 1.0) }
      end

      # @return [Hash, nil] min and max
      def bounds(box)
        return nil if box.empty?

        { 'min' => triple(box.min), 'max' => triple(box.max) }
      end

      # @return [Array<Float>]
      def triple(point)
        point.to_a.map { |value| value.to_f * INCH }
      end

      def triple?(values)
        values.is_a?(Array) && values.size == 3 && values.all?(Numeric)
      end
    end
  end
end
