# frozen_string_literal: true

module Headless
  # Which polygons share which edges. Edges are numbers: lower corner * count + higher corner.
  class EdgeAdjacency
    # @param polygons [Array<Array<Integer>>]
    # @param count [Integer] how many positions there are
    def initialize(polygons, count)
      @keys = []
      @firsts = []
      @seconds = []
      @crowded = {}
      collect(polygons, count)
    end

    # @return [Boolean] whether an edge has more than two polygons
    def crowded?
      !@crowded.empty?
    end

    # Every edge that has exactly two polygons.
    # @yieldparam first [Integer]
    # @yieldparam second [Integer]
    # @yieldparam key [Integer]
    def each_pair
      crowded = @crowded.empty? ? nil : @crowded
      @keys.each_with_index do |key, place|
        yield @firsts[place], @seconds[place], key unless crowded&.key?(key)
      end
    end

    private

    # One look per corner, since this runs over every corner of an import: a polygon's number stands
    # for an edge met once, -1 for one met more often.
    def collect(polygons, count)
      found = {}
      polygons.each_with_index do |corners, polygon|
        before = corners[-1]
        corners.each do |corner|
          key = corner < before ? (corner * count) + before : (before * count) + corner
          before = corner
          first = found[key]
          if first.nil?
            found[key] = polygon
          elsif first >= 0
            found[key] = -1
            @keys << key
            @firsts << first
            @seconds << polygon
          else
            @crowded[key] = true
          end
        end
      end
    end
  end
end
