# frozen_string_literal: true

module Sketchup
  # Where the view is seen from. Angles are degrees, lengths inches.
  class Camera
    DEFAULT_EYE = [100.0, -100.0, 100.0].freeze
    DEFAULT_FOV = 35.0
    FOV_LIMITS = (1.0..120.0)
    private_constant :DEFAULT_EYE, :DEFAULT_FOV, :FOV_LIMITS

    attr_reader :aspect_ratio, :image_width
    attr_accessor :description

    # @overload initialize
    # @overload initialize(eye, target, up, perspective = true, fov = 35.0)
    # @raise [ArgumentError] when up is parallel to the direction of view
    def initialize(*arguments)
      raise ArgumentError, 'wrong number of arguments' unless [0, 3, 4, 5].include?(arguments.size)

      eye, target, up, perspective, fov = arguments
      set(eye || DEFAULT_EYE, target || [0.0, 0.0, 0.0], up || [0.0, 0.0, 1.0])
      @perspective = perspective.nil? || perspective ? true : false
      @aspect_ratio = 0.0
      @image_width = 0.0
      @description = ''
      @fov = DEFAULT_FOV
      self.fov = fov if @perspective && fov
      @height = 2 * distance * Math.tan(@fov.degrees / 2)
    end

    # @return [Sketchup::Camera] itself
    # @raise [ArgumentError] when up is parallel to the direction of view, or eye and target are equal
    def set(eye, target, up)
      eye = Headless::Coordinates.of(eye)
      target = Headless::Coordinates.of(target)
      direction = Headless::Coordinates.unit(Headless::Coordinates.subtract(target, eye))
      raise ArgumentError, 'Eye and target are the same point' if direction.nil?

      up = Headless::Coordinates.unit(Headless::Coordinates.of(up))
      side = up && Headless::Coordinates.cross(direction, up)
      if up.nil? || Headless::Coordinates.norm(side) < 1e-6
        raise ArgumentError,
              'Up is parallel to the direction of view'
      end

      @eye = eye
      @target = target
      @up = up
      self
    end

    def eye
      Headless::Coordinates.point(@eye)
    end

    def target
      Headless::Coordinates.point(@target)
    end

    def up
      Headless::Coordinates.vector(@up)
    end

    def direction
      Headless::Coordinates.vector(Headless::Coordinates.unit(Headless::Coordinates.subtract(@target, @eye)))
    end

    # To the right of the picture.
    def xaxis
      Headless::Coordinates.vector(Headless::Coordinates.unit(direction.cross(up).to_a))
    end

    # Upwards in the picture.
    def yaxis
      xaxis.cross(direction)
    end

    # Into the picture.
    def zaxis
      direction
    end

    def perspective?
      @perspective
    end

    def perspective=(value)
      @perspective = value ? true : false
    end

    # @return [Float] degrees
    # @raise [RuntimeError] for a parallel projection
    def fov
      raise 'Field of view is only defined for a perspective camera' unless @perspective

      @fov
    end

    def fov=(degrees)
      raise 'Field of view is only defined for a perspective camera' unless @perspective

      unless FOV_LIMITS.cover?(degrees.to_f)
        raise ArgumentError,
              'Field of view must lie between 1 and 120 degrees'
      end

      @fov = degrees.to_f
    end

    # Whether the field of view is measured from bottom to top.
    def fov_is_height?
      true
    end

    # @return [Length] what a parallel projection shows from bottom to top
    # @raise [RuntimeError] for a perspective camera
    def height
      raise 'Height is only defined for a parallel projection' if @perspective

      Headless::Units.length(@height)
    end

    def height=(value)
      raise 'Height is only defined for a parallel projection' if @perspective
      raise ArgumentError, 'Height must be positive' unless value.to_f.positive?

      @height = value.to_f
    end

    # @param ratio [Numeric] width by height; 0 follows the view
    def aspect_ratio=(ratio)
      raise ArgumentError, 'Aspect ratio must not be negative' if ratio.to_f.negative?

      @aspect_ratio = ratio.to_f
    end

    def image_width=(millimetres)
      raise ArgumentError, 'Image width must not be negative' if millimetres.to_f.negative?

      @image_width = millimetres.to_f
    end

    # @return [Float] millimetres
    def focal_length
      width = @image_width.zero? ? 36.0 : @image_width
      width / (2 * Math.tan(fov.degrees / 2))
    end

    def focal_length=(millimetres)
      width = @image_width.zero? ? 36.0 : @image_width
      self.fov = (2 * Math.atan(width / (2 * millimetres.to_f))).radians
    end

    # Two-point perspective and matched photos, which the mock has not.
    def is_2d?
      false
    end

    # Takes over another camera's values.
    def headless_copy(other)
      other.instance_variables.each { |name| instance_variable_set(name, other.instance_variable_get(name)) }
    end

    # Comes nearer by a factor, or shows less of the scene.
    def headless_zoom(factor)
      if @perspective
        away = Headless::Coordinates.subtract(@eye, @target)
        @eye = @target.zip(away).map { |target, step| target + (step / factor) }
      else
        @height /= factor
      end
    end

    # Looks the same way, from where a box just fits the view.
    # @param aspect [Float] width by height
    # @param margin [Float]
    def headless_frame(box, aspect, margin)
      corners = seen_from_centre(box)
      radius = [box.diagonal.to_f / 2, 1e-3].max
      away = @perspective ? fitting_distance(corners, aspect) * margin : radius * 4
      @height = [fitting_height(corners, aspect) * margin, 1e-3].max unless @perspective
      forward = Headless::Coordinates.of(direction)
      @target = Headless::Coordinates.of(box.center)
      @eye = @target.zip(forward).map { |target, step| target - (step * [away, 1e-3].max) }
    end

    private

    # A box's corners to the right, upwards and away, from its centre.
    def seen_from_centre(box)
      axes = [xaxis, yaxis, direction].map { |axis| Headless::Coordinates.of(axis) }
      centre = Headless::Coordinates.of(box.center)
      (0..7).map do |index|
        step = Headless::Coordinates.subtract(Headless::Coordinates.of(box.corner(index)), centre)
        axes.map { |axis| Headless::Coordinates.dot(step, axis) }
      end
    end

    # From where every corner lies within the angle of view.
    def fitting_distance(corners, aspect)
      slope = Math.tan(@fov.degrees / 2)
      corners.map { |x, y, z| [x.abs / (slope * aspect), y.abs / slope].max - z }.max
    end

    def fitting_height(corners, aspect)
      corners.map { |x, y,| 2 * [x.abs / aspect, y.abs].max }.max
    end

    def distance
      Headless::Coordinates.norm(Headless::Coordinates.subtract(@target, @eye))
    end
  end
end
