# frozen_string_literal: true

module Headless
  # A picture of a view on disk: of the size that was asked for, with nothing drawn in it. A text named
  # Headless-View tells what a host would have drawn, and from where.
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

      File.binwrite(@path, encoded(JSON.generate(description)))
      true
    end

    private

    def possible?
      @sizes.cover?(@width) && @sizes.cover?(@height) && kind && File.directory?(File.dirname(@path))
    end

    def kind
      { '.png' => :png, '.jpg' => :jpeg, '.jpeg' => :jpeg }[File.extname(@path).downcase]
    end

    def encoded(text)
      return BlankImage.jpeg(@width, @height, KEYWORD, text) if kind == :jpeg

      BlankImage.png(@width, @height, KEYWORD, text, transparent: @transparent)
    end

    # Who stands behind whom is not looked at.
    def description
      { width: @width, height: @height, camera: camera, visible: SceneWalk.new(@view.model).shown_ids }
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
