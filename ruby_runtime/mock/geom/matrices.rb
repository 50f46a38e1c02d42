# frozen_string_literal: true

module Headless
  # The inverse of a 4 by 4 matrix.
  module Inversion
    module_function

    # @param matrix [Array<Float>] 16 numbers, column major
    # @return [Array<Float>]
    # @raise [ArgumentError] when the matrix is singular
    def of(matrix)
      rows = Array.new(4) do |row|
        Array.new(8) do |column|
          next matrix[(column * 4) + row] if column < 4

          column - 4 == row ? 1.0 : 0.0
        end
      end
      4.times { |column| eliminate(rows, column) }
      Array.new(16) { |place| rows[place % 4][4 + (place / 4)] }
    end

    def eliminate(rows, column)
      pivot = (column..3).max_by { |row| rows[row][column].abs }
      raise ArgumentError, 'Transformation has no inverse' if rows[pivot][column].abs < 1e-300

      rows[column], rows[pivot] = rows[pivot], rows[column]
      lead = rows[column][column]
      rows[column] = rows[column].map { |value| value / lead }
      4.times do |row|
        factor = rows[row][column]
        next if row == column || factor.zero?

        rows[row] = rows[row].zip(rows[column]).map { |value, base| value - (factor * base) }
      end
    end
  end

  # A transformation between two others: origin and scale in a line, the turn about one axis.
  module Interpolation
    module_function

    # @return [Array<Float>] 16 numbers
    def between(first, second, weight)
      parts = [first, second].map { |matrix| parts_of(matrix) }
      origin = mix(parts[0][:origin], parts[1][:origin], weight)
      scales = mix(parts[0][:scales], parts[1][:scales], weight)
      axes = turned(parts[0][:axes], parts[1][:axes], weight)
      axes = axes.zip(scales).map { |axis, scale| axis.map { |value| value * scale } }
      Axes.matrix(axes, origin)
    end

    def parts_of(matrix)
      axes = TransformationArguments::UNIT_AXES.map { |axis| Coordinates.turn(matrix, axis) }
      scales = axes.map { |axis| Coordinates.norm(axis) }
      { origin: Coordinates.transform(matrix, [0.0, 0.0, 0.0]), scales: scales,
        axes: axes.zip(scales).map { |axis, scale| axis.map { |value| value / scale } } }
    end

    def mix(first, second, weight)
      first.zip(second).map { |a, b| a + ((b - a) * weight) }
    end

    # The turn that takes the first axes to the second, done in part.
    def turned(first, second, weight)
      from = Axes.matrix(first, [0.0, 0.0, 0.0])
      difference = Coordinates.product(Axes.matrix(second, [0.0, 0.0, 0.0]), Inversion.of(from))
      axis = [difference[6] - difference[9], difference[8] - difference[2], difference[1] - difference[4]]
      angle = Math.atan2(Coordinates.norm(axis), difference[0] + difference[5] + difference[10] - 1)
      return first if Coordinates.norm(axis) < 1e-12

      part = Axes.rotation([0.0, 0.0, 0.0], axis, angle * weight)
      first.map { |direction| Coordinates.turn(part, direction) }
    end
  end
end
