# frozen_string_literal: true

require_relative '../calls/failure'
require_relative 'catalog'
require_relative 'definition_removal'
require_relative 'metadata'

module Vcad
  module Bridge
    module Nodes
      # Puts a new definition in the place of old ones. Instances keep their identity and everything a person
      # gave them; only what they show changes. Runs inside the caller's operation.
      class DefinitionSwap
        SCRATCH_NAME = 'vcad_replaced'
        # A dictionary that only the host itself may write.
        HOSTS_OWN = 'GSU_ContributorsInfo'

        # @param old_definitions [Array<Sketchup::ComponentDefinition>] the first one hands over its name
        def initialize(model, old_definitions, new_definition)
          @model = model
          @old_definitions = old_definitions
          @new_definition = new_definition
        end

        # @return [Array<Sketchup::ComponentInstance>] the instances that show the new geometry
        def call
          carry_over(@old_definitions.first)
          instances = Catalog.instances(@old_definitions).each { |instance| show_new_geometry(instance) }
          hand_over_name
          @old_definitions.each { |definition| DefinitionRemoval.call(@model, definition) }
          instances
        end

        private

        def show_new_geometry(instance)
          locked = instance.locked?
          instance.locked = false if locked
          instance.definition = @new_definition
          unless instance.definition == @new_definition
            raise Failure.new('OPERATION_FAILED', 'An instance kept its old definition',
                              details: { 'entity_id' => instance.entityID })
          end
          Metadata.mark_instance(instance) if Metadata.marked?(instance)
          instance.locked = true if locked
        end

        def carry_over(old)
          @new_definition.description = old.description
          carry_over_behavior(old.behavior, @new_definition.behavior)
          held = (old.attribute_dictionaries || []).reject { |dictionary| dictionary.name == HOSTS_OWN }
          held.each { |dictionary| carry_over_attributes(dictionary) }
        end

        def carry_over_attributes(dictionary)
          ours = dictionary.name == Metadata::DICTIONARY
          dictionary.each_pair do |key, value|
            next if ours && (Metadata::OF_GEOMETRY.include?(key) ||
                             @new_definition.get_attribute(dictionary.name, key))

            @new_definition.set_attribute(dictionary.name, key, value)
          end
        end

        def carry_over_behavior(old, new)
          new.is2d = old.is2d?
          new.snapto = old.snapto
          new.cuts_opening = old.cuts_opening?
          new.always_face_camera = old.always_face_camera?
          new.shadows_face_sun = old.shadows_face_sun?
          new.no_scale_mask = old.no_scale_mask?
        end

        # Names are unique among definitions, so the old one steps aside first.
        def hand_over_name
          name = @old_definitions.first.name
          @old_definitions.first.name = SCRATCH_NAME
          @new_definition.name = name
        end
      end
    end
  end
end
