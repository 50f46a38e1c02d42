# frozen_string_literal: true

require_relative '../nodes/metadata'

module Vcad
  module Bridge
    module Watching
      # What the workbench can notice about an entity. Two equal fingerprints mean: nothing to tell.
      module Fingerprint
        # Inches; the host computes placements anew now and then.
        DIGITS = 9

        module_function

        # @param entity [Sketchup::Entity]
        # @return [Array, nil] nil for a deleted entity
        def of(entity)
          return nil unless entity.valid?

          [placement(entity), bounds(entity), definition(entity), layer(entity)]
        end

        def placement(entity)
          return nil unless entity.respond_to?(:transformation)

          entity.transformation.to_a.map { |number| number.to_f.round(DIGITS) }
        end

        def bounds(entity)
          return nil unless entity.respond_to?(:bounds)

          box = entity.bounds
          [box.corner(0), box.corner(7)].flat_map do |corner|
            corner.to_a.map { |number| number.to_f.round(DIGITS) }
          end
        end

        def definition(entity)
          return nil unless entity.respond_to?(:definition)

          [entity.definition.persistent_id, Nodes::Metadata.version(entity.definition)]
        end

        def layer(entity)
          entity.respond_to?(:layer) ? entity.layer&.persistent_id : nil
        end
      end
    end
  end
end
