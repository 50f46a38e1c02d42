# frozen_string_literal: true

require_relative '../calls/failure'

module Vcad
  module Bridge
    module Nodes
      # What a person has open for editing. Inside an open group or component the host gives and takes
      # transformations in world coordinates; elsewhere in those of the parent.
      module EditContext
        module_function

        # @return [Array<Sketchup::Entity>] groups and instances from the root down to the open one
        def path(model)
          (model.active_path || []).to_a
        end

        # @return [Boolean] the entity lies directly in what is open
        def open?(model, entity)
          !path(model).empty? && entity.parent == model.active_entities.parent
        end

        # @return [Geom::Transformation] in the parent's coordinates, whatever is open
        def transformation(model, entity)
          return entity.transformation unless open?(model, entity)

          model.edit_transform.inverse * entity.transformation
        end

        # @param transformation [Geom::Transformation] in the parent's coordinates
        def set_transformation(model, entity, transformation)
          transformation = model.edit_transform * transformation if open?(model, entity)
          entity.transformation = transformation
        end

        # Makes sure that nothing of these definitions is open, before an operation starts.
        # @param force [Boolean] close what is open; setting the path inside an operation would split it
        # Raises BUSY_EDITING.
        def leave(model, definitions, force: false)
          open = path(model).select { |entity| definitions.include?(entity.definition) }
          return if open.empty?
          return model.active_path = nil if force

          raise Failure.new('BUSY_EDITING', "#{open.first.definition.name} is open for editing",
                            details: { 'entity_ids' => open.map(&:entityID) },
                            hint: 'Leave the component in SketchUp, or ask again with force.')
        end
      end
    end
  end
end
