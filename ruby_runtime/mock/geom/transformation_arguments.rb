# frozen_string_literal: true

module Headless
  # What Geom::Transformation.new and .scaling accept.
  module TransformationArguments
    UNIT_AXES = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].freeze
    IDENTITY = Axes.matrix(UNIT_AXES, [0.0, 0.0, 0.0]).freeze

    module_function

    # @param arguments [Array] nothing; point, vector, transformation, 16 numbers or a factor; (origin, z);
    #   (origin, x, y); (point, axis, angle); (x, y, z, origin)
    # @return [Array<Float>] 16 numbers
    # @raise [ArgumentError]
    def read(arguments)
      case arguments.size
      when 0 then IDENTITY
      when 1 then single(arguments.first)
      when 2 then Axes.matrix(Axes.around(Coordinates.of(arguments[1])), Coordinates.of(arguments[0]))
      when 3 then three(*arguments)
      when 4
        *axes, origin = arguments.map { |argument| Coordinates.of(argument) }
        Axes.matrix(Axes.squared(*axes), origin)
      else raise ArgumentError, 'wrong number of arguments'
      end
    end

    # @return [Array<Float>] 16 numbers; one factor goes to element 15, three to the diagonal
    def scaling(arguments)
      point, *factors = arguments.size.even? ? arguments : [[0.0, 0.0, 0.0], *arguments]
      point = Coordinates.of(point)
      factors = factors.map { |value| Coordinates.number(value) }
      raise ArgumentError, 'wrong number of arguments' unless [1, 3].include?(factors.size)

      factors.size == 1 ? uniform(factors.first, point) : along_axes(factors, point)
    end

    def uniform(factor, point)
      raise ArgumentError, 'Zero scale factor' if factor.zero?

      Axes.matrix(UNIT_AXES, point.map { |value| value * (1 - factor) / factor })[0, 15] << (1 / factor)
    end

    def along_axes(factors, point)
      axes = UNIT_AXES.zip(factors).map { |axis, factor| axis.map { |value| value * factor } }
      Axes.matrix(axes, point.zip(factors).map { |value, factor| value * (1 - factor) })
    end

    # True for a plain positive scale without rotation, translation aside.
    def uniform_along_axes?(matrix)
      size = matrix[0]
      size.positive? && UNIT_AXES.each_with_index.all? do |axis, column|
        matrix[column * 4,
               3] == axis.map do |v|
                       v * size
                     end
      end
    end

    def single(argument)
      case argument
      when Geom::Transformation then Coordinates.matrix(argument)
      when Numeric then uniform(argument.to_f, [0.0, 0.0, 0.0])
      when Array then from_array(argument)
      else Axes.matrix(UNIT_AXES, Coordinates.of(argument))
      end
    end

    def from_array(array)
      return Axes.matrix(UNIT_AXES, Coordinates.of(array)) if array.size == 3
      raise ArgumentError, "Array of 16 numbers expected, not #{array.size}" unless array.size == 16

      array.map { |value| Coordinates.number(value) }
    end

    def three(first, second, third)
      origin = Coordinates.of(first)
      axis = Coordinates.of(second)
      return Axes.rotation(origin, axis, third.to_f) if third.is_a?(Numeric)

      Axes.matrix(Axes.squared(axis, Coordinates.of(third)), origin)
    end
  end
end
