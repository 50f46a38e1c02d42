# frozen_string_literal: true

module Sketchup
  # Geometry that can be placed many times.
  class ComponentDefinition < Drawingelement
    include Headless::DefinitionNesting

    def initialize(model, list, name, group: false)
      super(model)
      @list = list
      @name = name
      @group = group
      @description = ''
      @instances = []
      @revision = 0
      @path = ''
      @entities = Entities.new(model, self)
    end

    def parent
      @model
    end

    def name
      @name.dup
    end

    # @param name [String] made unique when another definition has it
    def name=(name)
      raise TypeError, 'name must be a String' unless name.is_a?(String)
      return if name == @name

      assign(:@name, @list.headless_unique_name(name, self))
    end

    def description
      @description.dup
    end

    def description=(text)
      assign(:@description, text.to_s.dup.freeze)
    end

    # File it was loaded from, or empty.
    def path
      @path.dup
    end

    # @return [String] another one after each change of the geometry
    def guid
      Headless::Guids.of('definition', @persistent_id, @revision)
    end

    attr_reader :entities, :headless_manifold

    # @return [Array<Sketchup::ComponentInstance, Sketchup::Group>] a new array each time
    def instances
      @instances.dup
    end

    def count_instances
      @instances.size
    end

    def behavior
      @behavior ||= Behavior.new(self)
    end

    def bounds
      Headless::Extents.to_box(Headless::Extents.of_entities(@entities))
    end

    def group?
      @group ? true : false
    end

    def image?
      false
    end

    def internal?
      !group? && !image?
    end

    def live_component?
      false
    end

    def insertion_point
      Headless::Coordinates.point(@insertion_point || [0.0, 0.0, 0.0])
    end

    def insertion_point=(point)
      assign(:@insertion_point, Headless::Coordinates.of(point))
    end

    # Bounds are always current here.
    def invalidate_bounds
      true
    end

    # @return [Boolean]
    def save_as(path)
      Headless::Dump.save_definition(self, path)
    end

    # @raise [NotImplementedError] definitions go through `definitions.remove`
    def erase!
      raise NotImplementedError, 'a definition is removed by DefinitionList#remove'
    end

    def <=>(other)
      name <=> other.name
    end

    # The name itself.
    def headless_name
      @name
    end

    def headless_entities
      @entities
    end

    def headless_path=(path)
      @path = path
    end

    # The list itself.
    def headless_instances
      @instances
    end

    # @param value [Boolean, nil] what `manifold?` of its instances is to say; nil lets the geometry decide
    def headless_manifold=(value) # rubocop:disable Style/TrivialAccessors -- a test's override, kept apart
      @headless_manifold = value
    end

    def headless_revision
      @revision
    end

    def headless_revision=(revision)
      @revision = revision
    end

    def headless_change_events
      [[:definition_changed, @list, self]]
    end

    def headless_become_component
      assign(:@group, false)
    end
  end

  # How instances of a definition act.
  class Behavior < Entity
    SWITCHES = %i[is2d cuts_opening always_face_camera shadows_face_sun no_scale_mask snapto].freeze
    private_constant :SWITCHES

    def initialize(definition)
      super(definition.headless_model)
      @definition = definition
      @values = { is2d: false, cuts_opening: false, always_face_camera: false, shadows_face_sun: false,
                  no_scale_mask: 0, snapto: 0 }
    end

    %i[is2d cuts_opening always_face_camera shadows_face_sun].each do |name|
      define_method(:"#{name}?") { @values[name] }
      define_method(:"#{name}=") { |value| keep(name, value ? true : false) }
    end

    # Bits of the axes along which instances cannot be scaled.
    def no_scale_mask?
      @values[:no_scale_mask]
    end

    def no_scale_mask=(mask)
      keep(:no_scale_mask, Integer(mask))
    end

    # @return [Integer] one of the SnapTo constants
    def snapto
      @values[:snapto]
    end

    def snapto=(snapto)
      keep(:snapto, Integer(snapto))
    end

    def parent
      @definition
    end

    def headless_change_events
      @definition.headless_change_events
    end

    # @return [Hash{Symbol => Object}]
    def headless_values
      @values
    end

    private

    def keep(name, value)
      assign(:@values, @values.merge(name => value))
    end
  end
end
