# frozen_string_literal: true

module Headless
  # From world coordinates to pixels: X to the right, Y downwards.
  class Projection
    # @param camera [Sketchup::Camera]
    def initialize(camera, width, height)
      @width = width
      @height = height
      @axes = [camera.xaxis, camera.yaxis, camera.direction].map { |axis| Coordinates.of(axis) }
      @eye = Coordinates.of(camera.eye)
      @perspective = camera.perspective?
      @focus = @perspective ? height / (2 * Math.tan(camera.fov.degrees / 2)) : height / camera.height.to_f
    end

    # @param xyz [Array(Float, Float, Float)] world, in inches
    # @return [Array(Float, Float)] pixels
    def pixel(xyz)
      right, up, = seen(xyz)
      scale = scale_at(xyz)
      [(@width / 2.0) + (right * scale), (@height / 2.0) - (up * scale)]
    end

    # @return [Float] pixels that an inch covers at a point of the world
    def scale_at(xyz)
      @perspective ? @focus / seen(xyz)[2] : @focus
    end

    private

    # To the right, upwards and away from the eye, in inches.
    def seen(xyz)
      from_eye = Coordinates.subtract(xyz, @eye)
      @axes.map { |axis| Coordinates.dot(axis, from_eye) }
    end
  end
end
