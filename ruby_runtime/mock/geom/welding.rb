# frozen_string_literal: true

module Headless
  # Finds equal points of a whole list at once: sorted along a slanted line, equal points are
  # neighbours, and hardly any others are.
  module Welding
    DIRECTION = [0.5373, 0.6181, 0.5741].freeze
    SPREAD = DIRECTION.sum

    module_function

    # @param positions [Array<Array(Float, Float, Float)>]
    # @param tolerance [Float] points closer than this along every axis are one
    # @return [Array<Integer>, nil] for every point the first one equal to it; nil when all differ
    def first_equals(positions, tolerance = Units::TOLERANCE)
      a, b, c = DIRECTION
      keys = positions.map { |x, y, z| (x * a) + (y * b) + (z * c) }
      order = (0...keys.size).sort_by { |index| keys[index] }
      pairs = close_pairs(positions, keys, order, tolerance)
      pairs.empty? ? nil : roots(positions.size, pairs)
    end

    def close_pairs(positions, keys, order, tolerance)
      reach = tolerance * SPREAD
      pairs = []
      order.each_with_index do |index, place|
        limit = keys[index] + reach
        x, y, z = positions[index]
        while (other = order[place += 1]) && keys[other] < limit
          point = positions[other]
          next unless (point[0] - x).abs < tolerance && (point[1] - y).abs < tolerance

          pairs << [index, other] if (point[2] - z).abs < tolerance
        end
      end
      pairs
    end

    def roots(size, pairs)
      root = (0...size).to_a
      pairs.map(&:sort).sort.each { |low, high| root[high] = root[low] if root[high] == high }
      root
    end
  end
end
