# frozen_string_literal: true

require_relative '../model/millimetres'
require_relative 'edit_context'
require_relative 'metadata'

module Vcad
  module Bridge
    module Nodes
      # Nodes and their instances as plain values for results.
      module Rows
        module_function

        # @param placements [Boolean] with one row per instance
        # @return [Hash]
        def node(definition, placements: false)
          instances = definition.instances.select(&:valid?)
          row = { 'node_id' => Metadata.node_id(definition),
                  'source_file' => Metadata.source_file(definition),
                  'version' => Metadata.version(definition), 'name' => definition.name,
                  'instances' => instances.length, 'instances_used' => definition.count_used_instances,
                  'entity_ids' => instances.map(&:entityID),
                  'persistent_ids' => instances.map(&:persistent_id),
                  'definition_persistent_id' => definition.persistent_id,
                  'project_id' => Metadata.project_id(definition),
                  'digest' => Metadata.digest(definition),
                  'pushed_by' => Metadata.pushed_by(definition) }
          row['placements'] = instances.map { |instance| placement(instance) } if placements
          row
        end

        # @return [Hash] an instance where it stands; transformation in its parent's coordinates, millimetres
        def placement(instance)
          { 'entity_id' => instance.entityID, 'persistent_id' => instance.persistent_id,
            'instance_id' => Metadata.instance_id(instance), 'transformation' => matrix(instance),
            'layer' => instance.layer&.name, 'material' => instance.material&.name,
            'locked' => instance.locked?, 'parent_id' => parent_id(instance),
            'project_id' => Metadata.project_id(instance) }
        end

        # @return [Array<Float>]
        def matrix(instance)
          Millimetres.matrix(EditContext.transformation(instance.model, instance))
        end

        # @return [Integer, nil] the group or instance around it, the definition where there are several of
        #   those, nil in the model's root
        def parent_id(instance)
          parent = instance.parent
          return nil unless parent.is_a?(Sketchup::ComponentDefinition)

          around = parent.instances
          (around.length == 1 ? around.first : parent).entityID
        end
      end
    end
  end
end
