# frozen_string_literal: true

module Headless
  # Pixels with depth. Colours are integers 0xRRGGBBAA; pixels hold the number of a paint, which is a
  # colour and whose it is.
  class Canvas
    # How much nearer than its faces a line counts, as a share of its nearness.
    LINE_LEAD = 0.002

    attr_reader :width, :height

    # @param background [Integer]
    def initialize(width, height, background)
      @width = width
      @height = height
      @colors = [background]
      @owners = [nil]
      @paints = Array.new(width * height, 0)
      @nearness = Array.new(width * height, -Float::INFINITY)
    end

    # @param color [Integer]
    # @param owner [Object]
    # @return [Integer] a paint, for triangles and lines
    def paint(color, owner)
      @colors << color
      @owners << owner
      @colors.size - 1
    end

    # @return [Array<Object>] the owners of at least one visible pixel
    def visible_owners
      shown = rows_of_paints.compact.each_with_object({}) do |row, found|
        row.uniq.each { |paint| found[paint] = true }
      end
      @owners.values_at(*shown.keys).uniq.compact
    end

    # @param corners [Array<Array(Float, Float, Float)>] three pixels with nearness
    # @param paint [Integer]
    def triangle(corners, paint)
      top, middle, bottom = corners.sort_by { |corner| corner[1] }
      slope = slope_of(top, middle, bottom)
      return if slope.nil?

      row = [(top[1] - 0.5).ceil, 0].max
      last = [(bottom[1] - 0.5).ceil - 1, @height - 1].min
      while row <= last
        y = row + 0.5
        left = along(top, bottom, y)
        right = y < middle[1] ? along(top, middle, y) : along(middle, bottom, y)
        left, right = right, left if left > right
        near = top[2] + ((y - top[1]) * slope[1]) - (top[0] * slope[0])
        span(row, left, right, [near, slope[0]], paint)
        row += 1
      end
    end

    # A line one pixel wide, taken where it crosses the middles of columns, or of rows when steep.
    # @param from [Array(Float, Float, Float)] pixel with nearness
    # @param paint [Integer]
    def line(from, to, paint)
      first, last = shares_inside(from, to)
      return if first >= last

      step = Coordinates.subtract(to, from)
      axis = step[0].abs >= step[1].abs ? 0 : 1
      low, high = [first, last].map { |share| from[axis] + (step[axis] * share) }.minmax
      (low.floor..high.floor).each do |number|
        share = step[axis].zero? ? first : ((number + 0.5 - from[axis]) / step[axis]).clamp(first, last)
        x, y, near = from.zip(step).map { |start, length| start + (length * share) }
        axis.zero? ? dot(number, y.floor, near, paint) : dot(x.floor, number, near, paint)
      end
    end

    # @return [Array<String>] one binary string of R, G, B, A per row
    def rows
      empty = ([@colors[0]] * @width).pack('N*')
      rows_of_paints.map { |row| row ? @colors.values_at(*row).pack('N*') : empty }
    end

    private

    # @return [Array<Array<Integer>, nil>] nil for rows of nothing but background
    def rows_of_paints
      empty = Array.new(@width, 0)
      Array.new(@height) do |number|
        row = @paints[number * @width, @width]
        row unless row == empty
      end
    end

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
    # @param depth [Array(Float, Float)] nearness at the row's left end, and its change per pixel
    def span(row, left, right, depth, paint)
      column = (left - 0.5).ceil.clamp(0, @width)
      stop = ((right - 0.5).ceil - 1).clamp(-1, @width - 1) + (row * @width)
      index = column + (row * @width)
      near, per_pixel = depth
      near += (column + 0.5) * per_pixel
      nearness = @nearness
      paints = @paints
      while index <= stop
        if near > nearness[index]
          nearness[index] = near
          paints[index] = paint
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
      around = [index, index + @width]
      around << (index - 1) unless column.zero?
      around << (index + 1) unless column + 1 == @width
      around << (index - @width) unless row.zero?
      @nearness.values_at(*around).compact.min
    end

    def dot(column, row, near, paint)
      return if column.negative? || row.negative? || column >= @width || row >= @height

      index = (row * @width) + column
      near += near.abs * LINE_LEAD
      return unless near > @nearness[index] || near > farthest_around(index, column, row)

      @nearness[index] = near
      @paints[index] = paint
    end
  end
end
