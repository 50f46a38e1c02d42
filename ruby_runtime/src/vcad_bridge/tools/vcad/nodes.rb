# frozen_string_literal: true

require_relative '../../calls/failure'
require_relative '../../nodes/catalog'
require_relative '../../nodes/definition_removal'
require_relative '../../nodes/edit_context'
require_relative '../../nodes/instances'
require_relative '../../nodes/geometry/node_geometry'
require_relative '../../nodes/operation'
require_relative '../../nodes/rows'
require_relative 'node_arguments'
require_relative 'placing'

module Vcad
  module Bridge
    module Tools
      module Vcad
        # Tools on whole nodes: place, update, remove, list, get, and the definition alone.
        class NodeTools
          def initialize(watch_lists)
            @watch_lists = watch_lists
          end

          def add_to(registry)
            node = { capability: 'vcad.nodes' }
            registry.add('place_vcad_node', effect: :write, slow: true, **node) { |a, call| place(a, call) }
            registry.add('update_vcad_node', effect: :write, slow: true, **node) { |a, call| update(a, call) }
            registry.add('remove_vcad_node', effect: :write, **node) { |a, call| remove(a, call) }
            registry.add('list_vcad_nodes', effect: :read, **node) { |a, call| list(a, call) }
            registry.add('get_vcad_node', effect: :read, **node) { |a, call| get(a, call) }
            registry.add('upsert_vcad_definition', effect: :write, slow: true,
                                                   capability: 'vcad.instances') do |a, call|
              upsert(a, call)
            end
            registry.add('adopt_vcad_node', effect: :write, capability: 'vcad.identity') do |a, call|
              adopt(a, call)
            end
            registry.announce('vcad.nodes.mesh')
          end

          private

          def place(arguments, call)
            @watch_lists.own_change { Placing.new(arguments, call).call { |outcome| applied(outcome) } }
          end

          def update(arguments, call)
            request = NodeArguments.new(arguments, call)
            model = call.model
            node_id = request.node_id
            geometry = geometry(model, request)
            definitions = replaceable(model, request)
            outcome = @watch_lists.own_change do
              Nodes::EditContext.leave(model, definitions, force: request.force?)
              Nodes::Operation.run(model, "Update #{definitions.first.name}") do
                geometry.replace(definitions)
              end
            end
            applied(outcome)
            change(node_id, outcome, request).merge(replaced(outcome))
          end

          def upsert(arguments, call)
            request = NodeArguments.new(arguments, call)
            model = call.model
            node_id = request.node_id
            geometry = geometry(model, request)
            definitions = Nodes::Catalog.new(model, request.project_id).definitions(node_id)
            outcome = @watch_lists.own_change { define(model, request, geometry, definitions) }
            applied(outcome)
            change(node_id, outcome, request).merge(
              'created' => outcome.created, 'definition_persistent_id' => outcome.definition.persistent_id,
              **replaced(outcome)
            )
          end

          def define(model, request, geometry, definitions)
            name = request.component_name
            if definitions.empty?
              return Nodes::Operation.run(model, "Define #{name}") { geometry.create(name) }
            end

            definitions = replaceable(model, request)
            Nodes::EditContext.leave(model, definitions, force: request.force?)
            Nodes::Operation.run(model, "Update #{definitions.first.name}") { geometry.replace(definitions) }
          end

          def remove(arguments, call)
            request = NodeArguments.new(arguments, call)
            model = call.model
            definitions = replaceable(model, request)
            instances = Nodes::Catalog.instances(definitions)
            @watch_lists.own_change do
              Nodes::EditContext.leave(model, definitions, force: request.force?)
              Nodes::Operation.run(model, "Remove #{definitions.first.name}") do
                instances.each { |instance| Nodes::Instances.new(model).erase(instance) if instance.valid? }
                definitions.each { |definition| Nodes::DefinitionRemoval.call(model, definition) }
              end
            end
            @watch_lists.forget_node(request.node_id, request.project_id)
            { 'success' => true, 'node_id' => request.node_id, 'removed_instances' => instances.length }
          end

          def list(arguments, call)
            placements = arguments.boolean('placements', default: false)
            catalog = Nodes::Catalog.new(call.model, NodeArguments.new(arguments, call).project_id)
            catalog.visible.map { |definition| Nodes::Rows.node(definition, placements:) }
          end

          def get(arguments, call)
            request = NodeArguments.new(arguments, call)
            definition = readable(call.model, request)
            { 'success' => true, **Nodes::Rows.node(definition),
              'bounds' => Millimetres.bounds(definition.bounds) }
          end

          # What was made before there were projects becomes a project's, as it stands: its geometry, ids and
          # places stay. One undo step.
          def adopt(arguments, call)
            request = NodeArguments.new(arguments, call)
            arguments.required!('project_id')
            model = call.model
            definition = unclaimed(model, request.node_id, arguments.integer('definition_persistent_id'))
            marks = request.identity.marks
            @watch_lists.own_change do
              Nodes::Operation.run(model, "Adopt #{definition.name}") do
                Nodes::Metadata.write(definition, marks)
                Nodes::Catalog.instances([definition]).each do |instance|
                  Nodes::Metadata.mark_instance(instance) if Nodes::Metadata.marked?(instance)
                end
              end
            end
            @watch_lists.node_applied(definition)
            { 'success' => true, **Nodes::Rows.node(definition, placements: true) }
          end

          def unclaimed(model, node_id, persistent_id)
            catalog = Nodes::Catalog.new(model)
            unowned = catalog.fetch_all(node_id).find { |node| node.persistent_id == persistent_id }
            return unowned if unowned

            raise Failure.new('NODE_NOT_FOUND', "No such definition of #{node_id} that is no project's",
                              details: { 'node_id' => node_id, 'definition_persistent_id' => persistent_id })
          end

          def geometry(model, request)
            shared = { identity: request.identity, source_file: request.source_file }
            Nodes::NodeGeometry.new(model, request.node_id, request.artifact, **shared)
          end

          # @return [Array<Sketchup::ComponentDefinition>] one, or several with force
          def replaceable(model, request)
            catalog = Nodes::Catalog.new(model, request.project_id)
            request.force? ? catalog.fetch_all(request.node_id) : [catalog.fetch(request.node_id)]
          end

          # A client that names no project may look at every node; where several have the name, at its own.
          def readable(model, request)
            catalog = Nodes::Catalog.new(model, request.project_id)
            sharing = catalog.visible.select { |node| Nodes::Metadata.node_id(node) == request.node_id }
            own = sharing.select { |node| catalog.own?(node) }
            sharing = own unless own.empty?
            return sharing.first if sharing.length == 1

            raise catalog.ambiguous(request.node_id, sharing) unless sharing.empty?

            catalog.fetch(request.node_id)
          end

          def applied(outcome)
            @watch_lists.node_applied(outcome.definition)
          end

          def change(node_id, outcome, request)
            result = { 'success' => true, 'node_id' => node_id, 'version' => outcome.version,
                       'definition_name' => outcome.definition.name,
                       'bounds' => Millimetres.bounds(outcome.definition.bounds),
                       'manifold' => outcome.manifold, 'revision' => request.revision }
            result['warnings'] = outcome.warnings unless outcome.warnings.empty?
            result
          end

          def replaced(outcome)
            { 'replaced_instances' => outcome.instances.length,
              'entity_ids' => outcome.instances.map(&:entityID),
              'persistent_ids' => outcome.instances.map(&:persistent_id) }
          end
        end
      end
    end
  end
end
