# frozen_string_literal: true

module Headless
  # Finds points again within the host's tolerance. Cells are much larger than the tolerance, so a
  # point has to be looked for in a second cell only when it lies near a wall.
  class PointPlaces
    CELL = 0.128

    # @param tolerance [Float] inches; points closer than this along every axis are one
    def initialize(tolerance = Units::TOLERANCE)
      @tolerance = tolerance
      @cells = {}
    end

    # @param xyz [Array(Float, Float, Float)]
    # @yieldreturn [Object] what to keep for a point that is new
    # @return [Object] what was kept for the first point here
    def fetch(xyz)
      x, y, z = xyz
      each_key(x, y, z) do |key|
        @cells[key]&.each do |other, kept|
          return kept if near?(other, x, y, z)
        end
      end
      kept = yield
      (@cells[key_of((x / CELL).floor, (y / CELL).floor, (z / CELL).floor)] ||= []) << [xyz, kept]
      kept
    end

    private

    def near?(other, x, y, z)
      (other[0] - x).abs < @tolerance && (other[1] - y).abs < @tolerance && (other[2] - z).abs < @tolerance
    end

    # One integer per cell; three would need an array as key.
    def key_of(i, j, k)
      (((i * 2_097_143) + j) * 2_097_143) + k
    end

    def each_key(x, y, z)
      low = key_of(cell(x, -1), cell(y, -1), cell(z, -1))
      yield low
      return if low == key_of(cell(x, 1), cell(y, 1), cell(z, 1))

      ranges = [x, y, z].map { |value| [cell(value, -1), cell(value, 1)].uniq }
      ranges[0].product(*ranges.drop(1)) do |ijk|
        key = key_of(*ijk)
        yield key unless key == low
      end
    end

    def cell(value, side)
      ((value + (side * @tolerance)) / CELL).floor
    end
  end
end
