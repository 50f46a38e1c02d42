# frozen_string_literal: true

require 'json'

module Sketchup
  # The one view of a model. Nothing is shown, in pictures neither.
  class View
    WIDTH = 1280
    HEIGHT = 800
    SIZES = (1..16_000)
    # Room that is left around what is zoomed to.
    MARGIN = 1.05
    private_constant :WIDTH, :HEIGHT, :SIZES, :MARGIN

    include Headless::Observable

    attr_reader :model

    def initialize(model)
      @model = model
      @camera = Camera.new
    end

    # The camera that the view goes on using: later changes of it show.
    attr_reader :camera

    # @param camera [Sketchup::Camera, Sketchup::Page, Array] its values are taken over; an array also
    #   holds the seconds a transition takes, which are ignored
    def camera=(camera)
      camera = camera.first if camera.is_a?(Array)
      camera = camera.camera if defined?(Page) && camera.is_a?(Page)
      raise ArgumentError, 'Camera expected' unless camera.is_a?(Camera)

      @camera.headless_copy(camera)
      changed
    end

    # @param what [Numeric, Sketchup::Drawingelement, Array, Sketchup::Selection] a factor, or what is
    #   to fill the view
    # @return [Sketchup::View]
    def zoom(what)
      return zoom_by(what.to_f) if what.is_a?(Numeric)

      elements = what.respond_to?(:to_a) ? what.to_a : [what]
      raise ArgumentError, 'Nothing to zoom to' if elements.empty?

      zoom_to(elements.each_with_object(Geom::BoundingBox.new) { |element, box| box.add(element.bounds) })
    end

    def zoom_extents
      zoom_to(@model.bounds)
    end

    def invalidate
      self
    end

    def refresh
      self
    end

    # @param index [Integer, nil] 0 and 1 are the corners at the top
    def vpwidth
      WIDTH
    end

    def vpheight
      HEIGHT
    end

    # @return [Array(Integer, Integer)] pixels
    def center
      [WIDTH / 2, HEIGHT / 2]
    end

    # @param index [Integer] 0 top left, 1 top right, 2 bottom left, 3 bottom right
    def corner(index)
      raise ArgumentError, 'Corner index must be 0 to 3' unless (0..3).cover?(index)

      [index.odd? ? WIDTH : 0, index > 1 ? HEIGHT : 0]
    end

    def field_of_view
      @camera.fov
    end

    def field_of_view=(degrees)
      @camera.fov = degrees
      changed
    end

    # @return [Geom::Point3d] pixels, and 0
    def screen_coords(point)
      Geom::Point3d.new(*projection.pixel(Headless::Coordinates.of(point)), 0)
    end

    # @return [Float] inches that this many pixels cover at a point
    def pixels_to_model(pixels, point)
      pixels / projection.scale_at(Headless::Coordinates.of(point))
    end

    # @overload write_image(options)
    #   @param options [Hash] filename, width, height, antialias, compression, transparent
    # @overload write_image(filename, width, height, antialias, compression)
    #   All but the first may be missing.
    # @return [Boolean] false for an impossible size, a kind of file that cannot be written, or a
    #   folder that does not exist
    def write_image(first, *more)
      raise ArgumentError, 'wrong number of arguments' if more.size > 4

      options = { filename: first, width: more[0], height: more[1] }
      options = first.transform_keys(&:to_sym) if first.is_a?(Hash)
      Headless::ImageFile.new(self, options, sizes: SIZES).write
    end

    private

    def projection
      Headless::Projection.new(@camera, WIDTH, HEIGHT)
    end

    def changed
      Headless::Observers.notify(self, :onViewChanged, self)
    end

    def zoom_by(factor)
      raise ArgumentError, 'Factor must be positive' unless factor.positive?

      @camera.headless_zoom(factor)
      changed
      self
    end

    def zoom_to(box)
      return self if box.empty?

      @camera.headless_frame(box, WIDTH.to_f / HEIGHT, MARGIN)
      changed
      self
    end
  end
end

Headless::Guard.protect(Sketchup::View)
