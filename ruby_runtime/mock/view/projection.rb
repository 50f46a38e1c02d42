# frozen_string_literal: true

module Headless
  # From world coordinates to pixels: X to the right, Y downwards, and a nearness that grows towards
  # the eye and is linear over the picture.
  class Projection
    # Nearer to the eye than this many inches nothing is drawn.
    NEAR = 0.05

    attr_reader :width, :height, :forward

    # @param camera [Sketchup::Camera]
    def initialize(camera, width, height)
      @width = width
      @height = height
      @right = Coordinates.of(camera.xaxis)
      @up = Coordinates.of(camera.yaxis)
      @forward = Coordinates.of(camera.direction)
      @eye = Coordinates.of(camera.eye)
      @perspective = camera.perspective?
      @focus = @perspective ? height / (2 * Math.tan(camera.fov.degrees / 2)) : height / camera.height.to_f
    end

    # @param points [Array<Array(Float, Float, Float)>] world
    # @return [Array<Array(Float, Float, Float)>] to the right, upwards and away, in inches
    def seen(points)
      rx, ry, rz = @right
      ux, uy, uz = @up
      fx, fy, fz = @forward
      ex, ey, ez = @eye
      points.map do |x, y, z|
        x -= ex
        y -= ey
        z -= ez
        [(rx * x) + (ry * y) + (rz * z), (ux * x) + (uy * y) + (uz * z), (fx * x) + (fy * y) + (fz * z)]
      end
    end

    # @param point [Array(Float, Float, Float)] as `seen` gives them
    # @return [Array(Float, Float, Float)] pixels and nearness
    def pixel(point)
      x, y, z = point
      return [(@width / 2.0) + (x * @focus), (@height / 2.0) - (y * @focus), -z] unless @perspective

      [(@width / 2.0) + (x * @focus / z), (@height / 2.0) - (y * @focus / z), 1 / z]
    end

    # @return [Array(Float, Float, Float), nil] as `pixel`; nil for what is too near or behind the eye
    def pixel_before_eye(point)
      pixel(point) if !@perspective || point[2] >= NEAR
    end

    # The part of a polygon that lies in front of the eye.
    # @param points [Array] as `seen` gives them
    # @return [Array] no points when nothing is left
    def clipped(points)
      return points if !@perspective || points.all? { |point| point[2] >= NEAR }

      kept = []
      points.each_with_index do |point, index|
        before = points[index - 1]
        kept << crossing(before, point) if (before[2] < NEAR) != (point[2] < NEAR)
        kept << point if point[2] >= NEAR
      end
      kept
    end

    # The part of a line that lies in front of the eye.
    # @param ends [Array] two points as `seen` gives them
    # @return [Array] two points, or none
    def clipped_line(ends)
      near, far = ends.sort_by { |point| point[2] }
      return [] if far[2] < NEAR

      [crossing(near, far), far]
    end

    # @return [Boolean] whether the eye is on the side that the normal points to
    def faces_eye?(normal, point)
      return Coordinates.dot(normal, @forward).negative? unless @perspective

      Coordinates.dot(normal, Coordinates.subtract(point, @eye)).negative?
    end

    private

    def crossing(one, other)
      share = (NEAR - one[2]) / (other[2] - one[2])
      one.zip(other).map { |a, b| a + ((b - a) * share) }
    end
  end
end
