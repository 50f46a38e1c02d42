# frozen_string_literal: true

require_relative '../calls/failure'
require_relative '../model/millimetres'
require_relative 'edit_context'
require_relative 'metadata'

module Vcad
  module Bridge
    module Nodes
      # Adding, changing and erasing single instances. Runs inside the caller's operation.
      class Instances
        def initialize(model)
          @model = model
        end

        # @param transformation [Geom::Transformation] in the coordinates of `entities`
        # @return [Sketchup::ComponentInstance] raises OPERATION_FAILED
        def add(entities, definition, transformation)
          instance = entities.add_instance(definition, transformation)
          return instance if instance.is_a?(Sketchup::ComponentInstance)

          raise Failure.new('OPERATION_FAILED', "No instance of #{definition.name} could be added")
        end

        # Sets what is given; nil leaves a property alone, an empty name takes layer or material away.
        # @param transformation [Geom::Transformation, nil] in the parent's coordinates
        # @return [Array<String>] warnings
        def change(instance, transformation: nil, layer: nil, material: nil)
          unlocked(instance) do
            EditContext.set_transformation(@model, instance, transformation) if transformation
            instance.layer = layer_named(layer) if layer
          end
          material ? paint(instance, material) : []
        end

        # Erases it, locked or not; raises OPERATION_FAILED.
        def erase(instance)
          id = instance.entityID
          instance.locked = false if instance.locked?
          instance.erase!
          return if instance.deleted?

          raise Failure.new('OPERATION_FAILED', 'The instance could not be erased',
                            details: { 'entity_id' => id })
        end

        private

        def unlocked(instance)
          locked = instance.locked?
          instance.locked = false if locked
          yield
          instance.locked = true if locked
        end

        # A layer that is missing is made.
        def layer_named(name)
          untagged = @model.layers[0]
          return untagged if name.empty? || name == untagged.display_name

          @model.layers[name] || @model.layers.add(name)
        end

        # A material that is missing is made, plain: the person gives it a colour, or the workbench does.
        def paint(instance, name)
          known = name.empty? ? nil : @model.materials[name]
          made = known.nil? && !name.empty?
          material = made ? @model.materials.add(name) : known
          unlocked(instance) { instance.material = material }
          made ? ['MATERIAL_CREATED'] : []
        end
      end
    end
  end
end
