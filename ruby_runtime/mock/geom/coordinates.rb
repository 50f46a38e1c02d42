# frozen_string_literal: true

module Headless
  # Raw numbers behind the host's geometry objects: plain Float triples in inches and 16 Floats per
  # transformation. The API classes keep the host's methods only; the mock's own code comes here.
  # The arrays are shared and must not be changed.
  module Coordinates
    module_function

    # @param object [Geom::Point3d, Geom::Vector3d, Sketchup::Vertex, Array<Numeric>]
    # @return [Array(Float, Float, Float)]
    # @raise [ArgumentError] when the object has no coordinates
    def of(object)
      case object
      when Geom::Point3d, Geom::Vector3d then object.instance_variable_get(:@xyz)
      when Array then from_array(object)
      else from_other(object)
      end
    end

    # @param xyz [Array(Float, Float, Float)] inches; kept, not copied
    # @return [Geom::Point3d]
    def point(xyz)
      made = Geom::Point3d.allocate
      made.instance_variable_set(:@xyz, xyz)
      made
    end

    # @param xyz [Array(Float, Float, Float)] kept, not copied
    # @return [Geom::Vector3d]
    def vector(xyz)
      made = Geom::Vector3d.allocate
      made.instance_variable_set(:@xyz, xyz)
      made
    end

    # @param transformation [Geom::Transformation]
    # @return [Array<Float>] 16 numbers, column major, element 15 as it stands
    def matrix(transformation)
      transformation.instance_variable_get(:@matrix)
    end

    # @param matrix [Array<Float>] 16 numbers, kept
    # @return [Geom::Transformation]
    def transformation(matrix)
      made = Geom::Transformation.allocate
      made.instance_variable_set(:@matrix, matrix)
      made
    end

    # A point through a matrix, divided through by its last row.
    def transform(matrix, xyz)
      x, y, z = xyz
      m = matrix
      w = (m[3] * x) + (m[7] * y) + (m[11] * z) + m[15]
      w = 1.0 if w.zero?
      [((m[0] * x) + (m[4] * y) + (m[8] * z) + m[12]) / w,
       ((m[1] * x) + (m[5] * y) + (m[9] * z) + m[13]) / w,
       ((m[2] * x) + (m[6] * y) + (m[10] * z) + m[14]) / w]
    end

    # Many points at once; matrices with perspective are not for this.
    # @return [Array<Array(Float, Float, Float)>]
    def transform_all(matrix, points)
      return points if matrix == TransformationArguments::IDENTITY

      w = matrix[15]
      a, b, c, _, d, e, f, _, g, h, i, _, p, q, r = matrix.map { |value| value / w }
      plain = [b, c, d, f, g, h].all?(&:zero?)
      return points.map { |x, y, z| [(x * a) + p, (y * e) + q, (z * i) + r] } if plain

      points.map do |x, y, z|
        [(a * x) + (d * y) + (g * z) + p, (b * x) + (e * y) + (h * z) + q, (c * x) + (f * y) + (i * z) + r]
      end
    end

    # A direction through a matrix: rotated and scaled, not moved.
    def turn(matrix, xyz)
      x, y, z = xyz
      m = matrix
      w = m[15].zero? ? 1.0 : m[15]
      [((m[0] * x) + (m[4] * y) + (m[8] * z)) / w,
       ((m[1] * x) + (m[5] * y) + (m[9] * z)) / w,
       ((m[2] * x) + (m[6] * y) + (m[10] * z)) / w]
    end

    # @return [Boolean] whether a matrix turns left into right
    def mirrors?(matrix)
      x, y, z = TransformationArguments::UNIT_AXES.map { |axis| turn(matrix, axis) }
      dot(cross(x, y), z).negative?
    end

    # @return [Array<Float>] the product of two column major matrices
    def product(left, right)
      Array.new(16) do |place|
        row = place % 4
        column = place - row
        (left[row] * right[column]) + (left[row + 4] * right[column + 1]) +
          (left[row + 8] * right[column + 2]) + (left[row + 12] * right[column + 3])
      end
    end

    def subtract(left, right)
      [left[0] - right[0], left[1] - right[1], left[2] - right[2]]
    end

    def cross(left, right)
      [(left[1] * right[2]) - (left[2] * right[1]),
       (left[2] * right[0]) - (left[0] * right[2]),
       (left[0] * right[1]) - (left[1] * right[0])]
    end

    def dot(left, right)
      (left[0] * right[0]) + (left[1] * right[1]) + (left[2] * right[2])
    end

    def norm(xyz)
      Math.sqrt((xyz[0] * xyz[0]) + (xyz[1] * xyz[1]) + (xyz[2] * xyz[2]))
    end

    # @return [Array(Float, Float, Float), nil] nil for a vector without direction
    def unit(xyz)
      length = norm(xyz)
      return nil if length < 1e-30

      [xyz[0] / length, xyz[1] / length, xyz[2] / length]
    end

    # Twice the area vector of a closed loop, by Newell's sums; right for concave loops too.
    # @param points [Array<Array(Float, Float, Float)>]
    def area_vector(points)
      x = y = z = 0.0
      before = points[-1]
      points.each do |point|
        x += (before[1] - point[1]) * (before[2] + point[2])
        y += (before[2] - point[2]) * (before[0] + point[0])
        z += (before[0] - point[0]) * (before[1] + point[1])
        before = point
      end
      [x, y, z]
    end

    def same?(left, right, tolerance = Units::TOLERANCE)
      (left[0] - right[0]).abs < tolerance && (left[1] - right[1]).abs < tolerance &&
        (left[2] - right[2]).abs < tolerance
    end

    def from_array(array)
      raise ArgumentError, 'wrong number of values in array' unless array.size.between?(2, 3)

      [number(array[0]), number(array[1]), number(array[2] || 0.0)]
    end

    def from_other(object)
      return of(object.position) if defined?(Sketchup::Vertex) && object.is_a?(Sketchup::Vertex)

      raise ArgumentError, "Cannot convert argument to Geom::Point3d: #{object.class}"
    end

    def number(value)
      return value if value.is_a?(Float)
      raise ArgumentError, "Cannot convert argument to a number: #{value.class}" unless value.is_a?(Numeric)

      value.to_f
    end
  end
end
