# frozen_string_literal: true

module Geom
  # An axis aligned box; a new one is empty and then has impossible corners, which callers must not use.
  class BoundingBox
    # What an empty box has as corners, in inches.
    EMPTY_CORNER = 1e30
    private_constant :EMPTY_CORNER

    def initialize
      clear
    end

    # @param things [Array<Geom::Point3d, Sketchup::Vertex, Geom::BoundingBox, Array>]
    # @return [Geom::BoundingBox] itself
    def add(*things)
      things = things.first if things.size == 1 && things.first.is_a?(Array) && !numbers?(things.first)
      things.each do |thing|
        thing.is_a?(BoundingBox) ? add_box(thing) : include_point(Headless::Coordinates.of(thing))
      end
      self
    end

    def clear
      @low = [EMPTY_CORNER] * 3
      @high = [-EMPTY_CORNER] * 3
      self
    end

    def min
      Headless::Coordinates.point(@low.dup)
    end

    def max
      Headless::Coordinates.point(@high.dup)
    end

    def center
      Headless::Coordinates.point(@low.zip(@high).map { |low, high| (low + high) / 2 })
    end

    # @param index [Integer] bit 0 is X, bit 1 Y, bit 2 Z
    def corner(index)
      raise ArgumentError, 'Corner index must be 0 to 7' unless (0..7).cover?(index)

      Headless::Coordinates.point([0, 1, 2].map { |axis| index[axis].zero? ? @low[axis] : @high[axis] })
    end

    # Extent along X.
    def width
      extent(0)
    end

    # Extent along Y, not Z.
    def height
      extent(1)
    end

    # Extent along Z.
    def depth
      extent(2)
    end

    def diagonal
      Headless::Units.length(Headless::Coordinates.norm(Headless::Coordinates.subtract(@high, @low)))
    end

    def empty?
      @high[0] < @low[0]
    end

    def valid?
      !empty?
    end

    # @param thing [Geom::Point3d, Geom::BoundingBox]
    def contains?(thing)
      corners = thing.is_a?(BoundingBox) ? [thing.min, thing.max] : [thing]
      corners.all? do |corner|
        Headless::Coordinates.of(corner).each_with_index.all? do |value, axis|
          value.between?(@low[axis], @high[axis])
        end
      end
    end

    # @return [Geom::BoundingBox] what both share; empty when they are apart
    def intersect(other)
      low = @low.zip(Headless::Coordinates.of(other.min)).map(&:max)
      high = @high.zip(Headless::Coordinates.of(other.max)).map(&:min)
      shared = BoundingBox.new
      return shared if low.zip(high).any? { |from, to| from > to }

      shared.add(Headless::Coordinates.point(low), Headless::Coordinates.point(high))
    end

    private

    def initialize_copy(original)
      super
      @low = @low.dup
      @high = @high.dup
    end

    def numbers?(array)
      array.first.is_a?(Numeric)
    end

    def add_box(box)
      return if box.empty?

      include_point(Headless::Coordinates.of(box.min))
      include_point(Headless::Coordinates.of(box.max))
    end

    def include_point(xyz)
      3.times do |axis|
        value = xyz[axis]
        @low[axis] = value if value < @low[axis]
        @high[axis] = value if value > @high[axis]
      end
    end

    def extent(axis)
      Headless::Units.length(@high[axis] - @low[axis])
    end
  end
end
