# frozen_string_literal: true

module Sketchup
  # A definition that belongs to one place, or to copies of it.
  class Group < Drawingelement
    include Headless::Placed

    def initialize(owner, definition, transformation)
      super(owner)
      @definition = definition
      @matrix = Headless::Coordinates.matrix(transformation).dup.freeze
      @name = ''
    end

    # @return [Sketchup::ComponentDefinition]
    attr_reader :definition

    # @return [Sketchup::Entities]
    def entities
      @definition.entities
    end

    def description
      @definition.description
    end

    def description=(text)
      @definition.description = text
    end

    # @return [Geom::BoundingBox] in the group's own coordinates
    def local_bounds
      @definition.bounds
    end

    # Another group at the same place; both share the geometry until one is made unique.
    # @return [Sketchup::Group]
    def copy
      headless_journal.step('Copy Group') { Headless::Regrouping.copy_placed(self, @owner, nil) }
    end

    # @return [Sketchup::ComponentInstance] a component instead of this group
    def to_component
      headless_journal.step('Make Component') do
        owner = @owner
        made = ComponentInstance.new(owner, @definition, Headless::Coordinates.transformation(@matrix))
        @definition.headless_become_component
        owner.headless_add([made])
        made.headless_dress_like(self)
        Headless::Erasing.remove(owner, [self])
        made
      end
    end
  end
end
