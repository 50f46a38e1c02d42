# frozen_string_literal: true

require_relative 'edit_context'

module Vcad
  module Bridge
    module Nodes
      # Where an entity occurs in the world: once for each way from the model's root down to it.
      class Occurrences
        # One is a place, two are ambiguous; more need not be counted.
        ENOUGH = 2

        def initialize(model)
          @model = model
        end

        # @return [Array<Geom::Transformation>] from the coordinates of the entity's parent to the world, at
        #   most two
        def of(entity)
          parent = entity.parent
          return [Geom::Transformation.new] unless parent.is_a?(Sketchup::ComponentDefinition)

          parent.instances.select(&:valid?).each_with_object([]) do |instance, placements|
            of(instance).each { |outer| placements << (outer * EditContext.transformation(@model, instance)) }
            break placements.first(ENOUGH) if placements.length >= ENOUGH
          end
        end
      end
    end
  end
end
