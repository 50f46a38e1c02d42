# frozen_string_literal: true

require_relative '../../model/entity_lookup'
require_relative '../../calls/failure'
require_relative '../../nodes/catalog'
require_relative '../../nodes/edit_context'
require_relative '../../nodes/instances'
require_relative '../../nodes/operation'
require_relative 'node_arguments'

module Vcad
  module Bridge
    module Tools
      module Vcad
        # Tools on single instances of nodes. A transformation is in the parent's coordinates.
        class InstanceTools
          LONGEST_ID = 128

          def initialize(watch_lists)
            @watch_lists = watch_lists
          end

          def add_to(registry)
            writing = { effect: :write, capability: 'vcad.instances' }
            registry.add('place_vcad_instance', **writing) { |arguments, call| place(arguments, call) }
            registry.add('set_vcad_instance', **writing) { |arguments, call| set(arguments, call) }
            registry.add('remove_vcad_instance', **writing) { |arguments, call| remove(arguments, call) }
          end

          private

          def place(arguments, call)
            request = NodeArguments.new(arguments, call)
            model = call.model
            definition = Nodes::Catalog.new(model, request.project_id).fetch(request.node_id)
            instance_id = arguments.string('instance_id', empty: false, max: LONGEST_ID)
            arguments.required!('transformation')
            copies = arguments.integers('copies', default: [])
            present = standing(model, definition, instance_id, copies)
            return row(present).merge('created' => false) if present

            instance, warnings = add(model, definition, instance_id, request)
            row(instance, warnings).merge('created' => true)
          end

          def add(model, definition, instance_id, request)
            transformation = request.explicit_transformation
            changed(model, "Place #{instance_id}") do |instances|
              instance = instances.add(model.entities, definition, transformation)
              Nodes::Metadata.mark_instance(instance, instance_id)
              instance.name = instance_id
              [instance, instances.change(instance, layer: request.layer, material: request.material)]
            end
          end

          # @param copies [Array<Integer>] persistent ids of instances that a person copied: not ours
          # @return [Sketchup::ComponentInstance, nil] placed before, in the root; the oldest of several
          def standing(model, definition, instance_id, copies)
            placed = Nodes::Catalog.instances([definition]).select do |instance|
              instance.parent == model && Nodes::Metadata.instance_id(instance) == instance_id &&
                Nodes::Metadata.marked?(instance) && !copies.include?(instance.persistent_id)
            end
            placed.min_by(&:persistent_id)
          end

          def set(arguments, call)
            request = NodeArguments.new(arguments, call)
            model = call.model
            instance = target(arguments, model, request)
            wanted = { transformation: request.explicit_transformation, layer: request.layer,
                       material: request.material }
            warnings = changed(model, "Change #{label(instance)}") do |instances|
              instances.change(instance, **wanted)
            end
            row(instance, warnings)
          end

          def remove(arguments, call)
            model = call.model
            instance = target(arguments, model, NodeArguments.new(arguments, call))
            if Nodes::EditContext.path(model).include?(instance)
              Nodes::EditContext.leave(model, [instance.definition])
            end
            gone = { 'success' => true, 'entity_id' => instance.entityID,
                     'persistent_id' => instance.persistent_id,
                     'node_id' => Nodes::Metadata.node_id(instance.definition) }
            changed(model, "Remove #{label(instance)}") { |instances| instances.erase(instance) }
            gone
          end

          def changed(model, name)
            @watch_lists.own_change do
              Nodes::Operation.run(model, name) { yield Nodes::Instances.new(model) }
            end
          end

          # @return [Sketchup::ComponentInstance] of a node; raises ENTITY_NOT_FOUND, INVALID_PARAMS
          def target(arguments, model, request)
            id = arguments.integer('persistent_id', digits: true)
            entity = EntityLookup.by_persistent_id(model, id)
            unless entity&.valid?
              raise Failure.new('ENTITY_NOT_FOUND', "No entity with persistent id #{id}",
                                details: { 'persistent_id' => id })
            end
            node = entity.is_a?(Sketchup::ComponentInstance) && Nodes::Metadata.node_id(entity.definition)
            return arguments.refuse('persistent_id', 'the persistent id of an instance of a node') unless node
            return entity if Nodes::Catalog.new(model, request.project_id).own?(entity.definition)

            raise Failure.new('ENTITY_NOT_FOUND', "The entity with persistent id #{id} is another project's",
                              details: { 'persistent_id' => id })
          end

          def label(instance)
            Nodes::Metadata.instance_id(instance) || instance.definition.name
          end

          # bounds: in the parent's coordinates
          def row(instance, warnings = [])
            result = { 'success' => true, 'node_id' => Nodes::Metadata.node_id(instance.definition),
                       'instance_id' => Nodes::Metadata.instance_id(instance),
                       'entity_id' => instance.entityID, 'persistent_id' => instance.persistent_id,
                       'bounds' => Millimetres.bounds(instance.bounds) }
            result['warnings'] = warnings unless warnings.empty?
            result
          end
        end
      end
    end
  end
end
