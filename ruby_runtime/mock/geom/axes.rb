# frozen_string_literal: true

module Headless
  # Right-angled axes from what a caller knows of them, and matrices made of axes.
  module Axes
    # Below this the direction counts as vertical, and Y instead of Z is crossed with it.
    NEARLY_VERTICAL = 1.0 / 64

    module_function

    # The arbitrary axis rule of drawing exchange files.
    # @return [Array] x, y and unit z
    def around(direction)
      z = Coordinates.unit(direction) || raise(ArgumentError, 'Zero length vector')
      vertical = z[0].abs < NEARLY_VERTICAL && z[1].abs < NEARLY_VERTICAL
      x = Coordinates.unit(Coordinates.cross(vertical ? [0.0, 1.0, 0.0] : [0.0, 0.0, 1.0], z))
      [x, Coordinates.cross(z, x), z]
    end

    # X keeps its direction, Y is turned square to it, and Z keeps the side it was given on.
    # @return [Array] three unit axes
    def squared(x_axis, y_axis, z_axis = nil)
      x = Coordinates.unit(x_axis) || raise(ArgumentError, 'Zero length X axis')
      z = Coordinates.unit(Coordinates.cross(x, y_axis)) || raise(ArgumentError, 'Parallel axes')
      y = Coordinates.cross(z, x)
      z = z.map(&:-@) if z_axis && Coordinates.dot(z, z_axis).negative?
      [x, y, z]
    end

    # @return [Array<Float>] 16 numbers
    def matrix(axes, origin)
      [*axes[0], 0.0, *axes[1], 0.0, *axes[2], 0.0, *origin, 1.0]
    end

    # Rotation about an axis through a point.
    # @param angle [Float] radians
    def rotation(point, axis, angle)
      turned = rotation_axes(axis, angle)
      about = matrix(turned, [0.0, 0.0, 0.0])
      moved = Coordinates.turn(about, point)
      matrix(turned, Coordinates.subtract(point, moved))
    end

    def rotation_axes(axis, angle)
      x, y, z = Coordinates.unit(axis) || raise(ArgumentError, 'Zero length axis')
      c = Math.cos(angle)
      s = Math.sin(angle)
      t = 1 - c
      [[(t * x * x) + c, (t * x * y) + (s * z), (t * x * z) - (s * y)],
       [(t * x * y) - (s * z), (t * y * y) + c, (t * y * z) + (s * x)],
       [(t * x * z) + (s * y), (t * y * z) - (s * x), (t * z * z) + c]]
    end
  end
end
