# frozen_string_literal: true

module Headless
  # Something was added to or removed from a collection while it was being walked; SketchUp then skips
  # elements or crashes.
  class MockMutationDuringIteration < RuntimeError
  end
end

module Sketchup
  # What lies in a model or in a definition.
  class Entities
    include Enumerable
    include Headless::Observable
    include Headless::EntitiesStore
    include Headless::EntitiesGeometry

    def initialize(model, definition)
      @model = model
      @definition = definition
      @list = []
      @walking = 0
      @stamp = 0
      @remembered = {}
    end

    attr_reader :model

    # The same without the check; every new entity asks.
    alias headless_model model

    # @return [Sketchup::ComponentDefinition, Sketchup::Model]
    def parent
      @definition || @model
    end

    # The list itself: whoever changes the collection meanwhile gets an error.
    def each(&block)
      return to_enum(:each) { @list.size } unless block

      @walking += 1
      begin
        @list.each(&block)
      ensure
        @walking -= 1
      end
      self
    end

    def [](index)
      @list[index]
    end

    alias at []

    def length
      @list.size
    end

    alias size length

    def to_a
      @list.dup
    end

    # @param definition [Sketchup::ComponentDefinition]
    # @param transformation [Geom::Transformation]
    # @return [Sketchup::ComponentInstance]
    # @raise [ArgumentError] when the definition would contain itself
    def add_instance(definition, transformation)
      mode = Headless.failures.due('add_instance')
      Headless.failures.raise_injected('add_instance') if mode == 'raise'
      return nil if mode

      raise ArgumentError, 'a ComponentDefinition is needed' unless definition.is_a?(ComponentDefinition)
      raise ArgumentError, 'a Transformation is needed' unless transformation.is_a?(Geom::Transformation)

      headless_refuse_recursion(definition)
      @model.headless_journal.step('Place Component') do
        headless_add([ComponentInstance.new(self, definition, transformation)]).first
      end
    end

    # @param entities [Array<Sketchup::Entity>] what is to lie in the group instead of here
    # @return [Sketchup::Group]
    def add_group(*entities)
      @model.headless_journal.step('Make Group') { Headless::Regrouping.group(self, entities.flatten) }
    end

    # @return [Sketchup::ConstructionPoint]
    def add_cpoint(point)
      headless_add_single('Construction Point', ConstructionPoint.new(self, Headless::Coordinates.of(point)))
    end

    # @return [Sketchup::ConstructionLine]
    def add_cline(start, finish, stipple = '-')
      headless_add_single('Construction Line',
                          ConstructionLine.new(self, Headless::Coordinates.of(start), finish, stipple))
    end

    # Deletes elements, and with an edge its faces.
    # @param entities [Array<Sketchup::Entity>] one, several or an array
    # @raise [ArgumentError] for something on the path that is being edited
    def erase_entities(*entities)
      Headless::Erasing.erase(self, entities.flatten)
      nil
    end

    # @return [Boolean]
    def clear!
      Headless::Erasing.erase(self, @list.dup)
      true
    end

    # Moves elements; vertices of edges and faces move along.
    # @return [Boolean]
    def transform_entities(transformation, *entities)
      Headless::Moving.transform(self, transformation, entities.flatten)
    end

    # @param entities [Array<Sketchup::Entity>]
    # @param vectors [Array<Geom::Vector3d>] one for each
    # @return [Boolean]
    def transform_by_vectors(entities, vectors)
      Headless::Moving.by_vectors(self, entities, vectors)
    end

    def active_section_plane
      nil
    end

    def active_section_plane=(plane)
      raise ArgumentError, 'there are no section planes here' if plane
    end

    def inspect
      "#<#{self.class.name}:#{object_id}>"
    end
  end
end
