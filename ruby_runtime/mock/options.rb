# frozen_string_literal: true

module Headless
  # Named values that can be set but not added.
  module NamedValues
    include Enumerable
    include Observable

    def [](name)
      @values[key_of(name)]
    end

    # @raise [ArgumentError] for a name that does not exist
    def []=(name, value)
      key = key_of(name)
      raise ArgumentError, "there is no option #{name}" unless @values.key?(key)

      @values = @values.merge(key => value)
      headless_changed(key)
    end

    def each(&block)
      return to_enum(:each) { @values.size } unless block

      @values.each_pair(&block)
      self
    end

    alias each_pair each

    def each_key(&block)
      @values.each_key(&block)
      self
    end

    def keys
      @values.keys
    end

    def length
      @values.size
    end

    alias size length

    def count(*arguments, &block)
      arguments.empty? && !block ? @values.size : super
    end

    def headless_values
      @values
    end

    private

    def key_of(name)
      name.to_s
    end
  end
end

module Sketchup
  # One group of a model's options.
  class OptionsProvider
    include Headless::NamedValues

    def initialize(name, values)
      @name = name
      @values = values
    end

    def name
      @name.dup
    end

    # @raise [IndexError] for a number out of range
    def key_of(name)
      name.is_a?(Integer) ? @values.keys.fetch(name) : name.to_s
    end

    private :key_of

    def key?(name)
      @values.key?(name.to_s)
    end

    alias has_key? key?

    def each_value(&block)
      @values.each_value(&block)
      self
    end

    private

    def headless_changed(key)
      Headless::Observers.notify(self, :onOptionsProviderChanged, self, key)
    end
  end

  # A model's options, in groups.
  class OptionsManager
    include Enumerable

    def initialize
      @providers = Headless::OPTIONS.to_h { |name, values| [name, OptionsProvider.new(name, values.dup)] }
    end

    # @param key [String, Integer]
    # @return [Sketchup::OptionsProvider, nil]
    def [](key)
      key.is_a?(Integer) ? @providers.values[key] : @providers[key.to_s]
    end

    def each(&block)
      @providers.each_value(&block)
      self
    end

    def keys
      @providers.keys
    end

    def length
      @providers.size
    end

    alias size length

    def count(*arguments, &block)
      arguments.empty? && !block ? @providers.size : super
    end
  end

  # How a model is drawn.
  class RenderingOptions < Entity
    include Headless::NamedValues

    def initialize(model)
      super
      @values = Headless::RENDERING_OPTIONS.dup
    end

    private

    def headless_changed(key)
      Headless::Observers.notify(self, :onRenderingOptionsChanged, self, key)
    end
  end
end

module Headless
  # A new model's options. LengthUnit: 0 inch, 1 feet, 2 mm, 3 cm, 4 m, 5 yard.
  OPTIONS = {
    'UnitsOptions' => {
      'LengthPrecision' => 1, 'LengthFormat' => 0, 'LengthUnit' => 2, 'LengthSnapEnabled' => true,
      'LengthSnapLength' => 1.0 / 25.4, 'AreaPrecision' => 1, 'AreaUnit' => 2, 'VolumePrecision' => 1,
      'VolumeUnit' => 2, 'AnglePrecision' => 1, 'AngleSnapEnabled' => true, 'SnapAngle' => 15.0,
      'SuppressUnitsDisplay' => false, 'ForceInchDisplay' => false
    },
    'PageOptions' => { 'ShowTransition' => true, 'TransitionTime' => 2.0 },
    'SlideshowOptions' => { 'LoopSlideshow' => true, 'SlideTime' => 1.0 },
    'NamedOptions' => {},
    'PrintOptions' => {
      'ComputeSizeFromPrintScale' => false, 'FitToPage' => true, 'NumberOfPages' => 1, 'PixelsPerInch' => 300,
      'PrintHeight' => 0.0, 'PrintQuality' => 3, 'PrintWidth' => 0.0, 'SectionSlice' => false,
      'SizeInModel' => 1.0, 'SizeInPrint' => 1.0, 'UsePrintScale' => false, 'VectorMode' => false
    }
  }.freeze

  # A new model's rendering options.
  RENDERING_OPTIONS = {
    'BackgroundColor' => Sketchup::Color.new(255, 255, 255),
    'ConstructionColor' => Sketchup::Color.new(0, 0, 0),
    'DisplayInstanceAxes' => false, 'DisplayColorByLayer' => false, 'DrawBackEdges' => false,
    'DrawDepthQue' => false, 'DrawGround' => false, 'DrawHidden' => false, 'DrawHiddenGeometry' => false,
    'DrawHiddenObjects' => false, 'DrawHorizon' => false, 'DrawLineEnds' => false,
    'DrawProfilesOnly' => false,
    'DrawSilhouettes' => true, 'DisplayFog' => false, 'EdgeColorMode' => 1, 'EdgeDisplayMode' => true,
    'EdgeType' => 0, 'ExtendLines' => false, 'FaceBackColor' => Sketchup::Color.new(164, 178, 187),
    'FaceFrontColor' => Sketchup::Color.new(255, 255, 255), 'FaceColorMode' => 0, 'FadeInactiveAlpha' => 0.5,
    'ForegroundColor' => Sketchup::Color.new(0, 0, 0), 'GroundColor' => Sketchup::Color.new(210, 208, 185),
    'GroundTransparency' => 0, 'HideConstructionGeometry' => false,
    'HighlightColor' => Sketchup::Color.new(0, 1, 255), 'InactiveFade' => 0.5, 'InactiveHidden' => false,
    'InstanceFade' => 0.5, 'InstanceHidden' => false, 'JitterEdges' => false, 'LineEndWidth' => 9,
    'LineExtension' => 3, 'LockedColor' => Sketchup::Color.new(255, 0, 0), 'MaterialTransparency' => true,
    'ModelTransparency' => false, 'RenderMode' => 2, 'SilhouetteWidth' => 2,
    'SkyColor' => Sketchup::Color.new(155, 205, 255), 'Texture' => true, 'TransparencySort' => 1
  }.freeze
end
