# frozen_string_literal: true

module Headless
  # A picture of a view on disk. A text chunk named Headless-View tells tests what was looked at.
  class ImageFile
    KEYWORD = 'Headless-View'
    # Option names that the host knows; others it ignores without a word, so they are put on record.
    OPTIONS = %i[filename width height antialias compression transparent scale_factor source].freeze

    # @param view [Sketchup::View]
    # @param options [Hash] filename, width, height, transparent
    # @param sizes [Range] of pixels along a side
    def initialize(view, options, sizes:)
      @view = view
      @path = options[:filename]
      @width = options[:width] || view.vpwidth
      @height = options[:height] || view.vpheight
      @transparent = options[:transparent] ? true : false
      @sizes = sizes
      raise ArgumentError, 'filename is missing' unless @path.is_a?(String)

      (options.keys - OPTIONS).each { |name| Headless.host.gaps.add("Sketchup::View#write_image(#{name}:)") }
    end

    # @return [Boolean]
    def write
      mode = Headless.failures.due('write_image')
      raise InjectedFailure, 'Writing the picture failed' if mode == 'raise'
      return false if mode || !possible?

      canvas = Picture.new(@view.model, @view.camera, @width, @height, transparent: @transparent).draw
      File.binwrite(@path, encoded(canvas))
      true
    end

    private

    def possible?
      @sizes.cover?(@width) && @sizes.cover?(@height) && encoder && File.directory?(File.dirname(@path))
    end

    def encoder
      case File.extname(@path).downcase
      when '.png' then Png
      when '.jpg', '.jpeg' then Jpeg
      end
    end

    def encoded(canvas)
      encoder.encode(canvas, KEYWORD => JSON.generate(description(canvas)))
    end

    def description(canvas)
      { width: @width, height: @height, camera: camera, visible: canvas.visible_owners.sort }
    end

    # Millimetres and degrees.
    def camera
      camera = @view.camera
      place = { eye_mm: millimetres(camera.eye), target_mm: millimetres(camera.target), up: camera.up.to_a,
                perspective: camera.perspective? }
      place.merge(camera.perspective? ? { fov: camera.fov } : { height_mm: camera.height.to_f * 25.4 })
    end

    def millimetres(point)
      Coordinates.of(point).map { |value| value * 25.4 }
    end
  end
end
