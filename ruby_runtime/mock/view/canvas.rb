# frozen_string_literal: true

module Headless
  # Pixels with depth. Colours are integers 0xRRGGBBAA.
  class Canvas
    # How much nearer than its faces a line counts, as a share of its nearness.
    LINE_LEAD = 0.002

    attr_reader :width, :height

    # @param background [Integer]
    def initialize(width, height, background)
      @width = width
      @height = height
      @colors = Array.new(width * height, background)
      @nearness = Array.new(width * height, -Float::INFINITY)
      @owners = Array.new(width * height)
    end

    # @return [Array<Object>] the owners of at least one visible pixel
    def visible_owners
      @owners.uniq.compact
    end

    # @param corners [Array<Array(Float, Float, Float)>] three pixels with nearness
    # @param color [Integer]
    # @param owner [Object]
    def triangle(corners, color, owner)
      top, middle, bottom = corners.sort_by { |corner| corner[1] }
      slope = slope_of(top, middle, bottom)
      return if slope.nil?

      first = [(top[1] - 0.5).ceil, 0].max
      last = [(bottom[1] - 0.5).ceil - 1, @height - 1].min
      row = first
      while row <= last
        y = row + 0.5
        left = along(top, bottom, y)
        right = y < middle[1] ? along(top, middle, y) : along(middle, bottom, y)
        left, right = right, left if left > right
        near = top[2] + ((y - top[1]) * slope[1])
        span(row, left, right, near - (top[0] * slope[0]), slope[0], color, owner)
        row += 1
      end
    end

    # A line one pixel wide.
    # @param from [Array(Float, Float, Float)] pixel with nearness
    def line(from, to, color, owner)
      first, last = shares_inside(from, to)
      return if first >= last

      steps = ([(to[0] - from[0]).abs, (to[1] - from[1]).abs].max * (last - first)).ceil.clamp(1, @width + @height)
      (0..steps).each do |step|
        share = first + ((last - first) * step / steps)
        dot((from[0] + ((to[0] - from[0]) * share)).floor, (from[1] + ((to[1] - from[1]) * share)).floor,
            from[2] + ((to[2] - from[2]) * share), color, owner)
      end
    end

    # @return [Array<String>] one binary string of R, G, B, A per row
    def rows
      Array.new(@height) { |row| @colors[row * @width, @width].pack('N*') }
    end

    private

    # How nearness changes per pixel to the right and downwards; nil for a triangle seen from its edge.
    def slope_of(a, b, c)
      ux = b[0] - a[0]
      uy = b[1] - a[1]
      vx = c[0] - a[0]
      vy = c[1] - a[1]
      area = (ux * vy) - (uy * vx)
      return nil if area.abs < 1e-9

      du = b[2] - a[2]
      dv = c[2] - a[2]
      [((du * vy) - (dv * uy)) / area, ((dv * ux) - (du * vx)) / area]
    end

    def along(from, to, y)
      height = to[1] - from[1]
      height.zero? ? from[0] : from[0] + ((y - from[1]) * (to[0] - from[0]) / height)
    end

    # The inner loop of everything: from pixel centre to pixel centre.
    def span(row, left, right, near_at_zero, per_pixel, color, owner)
      column = (left - 0.5).ceil
      column = 0 if column.negative?
      last = (right - 0.5).ceil - 1
      last = @width - 1 if last >= @width
      return if column > last

      near = near_at_zero + ((column + 0.5) * per_pixel)
      index = (row * @width) + column
      stop = index + last - column
      nearness = @nearness
      colors = @colors
      owners = @owners
      while index <= stop
        if near > nearness[index]
          nearness[index] = near
          colors[index] = color
          owners[index] = owner
        end
        near += per_pixel
        index += 1
      end
    end

    # Which part of a line lies in the picture, as shares of its length.
    def shares_inside(from, to)
      first = 0.0
      last = 1.0
      [[0, @width], [1, @height]].each do |axis, size|
        length = to[axis] - from[axis]
        if length.abs < 1e-12
          return [1.0, 0.0] unless from[axis].between?(0, size)
        else
          ends = [-from[axis] / length, (size - from[axis]) / length].sort
          first = [first, ends[0]].max
          last = [last, ends[1]].min
        end
      end
      [first, last]
    end

    # Pixels beside the line count as well: its own may be covered by a face that ends in it and is
    # seen at a grazing angle.
    def farthest_around(index, column, row)
      nearest = @nearness
      [nearest[index], column.zero? ? nil : nearest[index - 1], column + 1 == @width ? nil : nearest[index + 1],
       row.zero? ? nil : nearest[index - @width], nearest[index + @width]].compact.min
    end

    def dot(column, row, near, color, owner)
      return if column.negative? || row.negative? || column >= @width || row >= @height

      index = (row * @width) + column
      near += near.abs * LINE_LEAD
      return unless near > @nearness[index] || near > farthest_around(index, column, row)

      @nearness[index] = near
      @colors[index] = color
      @owners[index] = owner
    end
  end
end
