# frozen_string_literal: true

require_relative '../../model/entity_lookup'
require_relative '../../calls/failure'
require_relative '../../nodes/catalog'
require_relative '../../nodes/edit_context'
require_relative '../../nodes/instances'
require_relative '../../nodes/geometry/node_geometry'
require_relative '../../nodes/operation'
require_relative 'node_arguments'

module Vcad
  module Bridge
    module Tools
      module Vcad
        # place_vcad_node: a node's first instance, its newer geometry, or one more instance, in one undo
        # step.
        class Placing
          CHOICES = %w[update add_instance error].freeze

          def initialize(arguments, call)
            @arguments = arguments
            @request = NodeArguments.new(arguments, call)
            @model = call.model
            @node_id = @request.node_id
            @catalog = Nodes::Catalog.new(@model, @request.project_id)
            @if_exists = arguments.one_of('if_exists', CHOICES, default: 'update')
            @artifact = @request.artifact
            @source_file = @request.source_file
            @transformation = @request.transformation
            @entities = entities
          end

          # @yieldparam outcome [Nodes::NodeGeometry::Outcome] once it stands in the model
          # @return [Hash] the tool's result; raises as the tool does
          def call
            existing = @catalog.definitions(@node_id)
            check(existing)
            outcome, instance, warnings = Nodes::Operation.run(@model, "Place #{@request.component_name}") do
              changed(existing)
            end
            yield outcome
            result(outcome, instance, outcome.warnings + warnings)
          end

          private

          # Everything that can be refused without touching the model.
          def check(existing)
            return if existing.empty?

            raise present if @if_exists == 'error'
            return if @if_exists == 'add_instance'

            raise @catalog.ambiguous(@node_id, existing) if existing.length > 1 && !@request.force?

            Nodes::EditContext.leave(@model, existing, force: @request.force?)
          end

          def changed(existing)
            outcome = geometry(existing)
            first = outcome.instances.first
            return [outcome, first, []] if first

            instance = instances.add(@entities, outcome.definition, @transformation)
            Nodes::Metadata.mark_instance(instance)
            warnings = instances.change(instance, layer: @request.layer, material: @request.material)
            [outcome, instance, warnings]
          end

          def geometry(existing)
            node = Nodes::NodeGeometry.new(@model, @node_id, @artifact, identity: @request.identity,
                                                                        source_file: @source_file)
            return node.create(@request.component_name) if existing.empty?
            return node.replace(existing) if @if_exists == 'update'

            definition = existing.first
            Nodes::NodeGeometry::Outcome.new(definition:, instances: [], created: true,
                                             version: Nodes::Metadata.version(definition))
          end

          def result(outcome, instance, warnings)
            result = { 'success' => true, 'node_id' => @node_id, 'entity_id' => instance.entityID,
                       'persistent_id' => instance.persistent_id,
                       'definition_name' => outcome.definition.name,
                       'version' => outcome.version, 'created' => outcome.created,
                       'bounds' => Millimetres.bounds(outcome.definition.bounds),
                       'manifold' => outcome.manifold, 'revision' => @request.revision }
            result['warnings'] = warnings unless warnings.empty?
            result
          end

          def instances
            @instances ||= Nodes::Instances.new(@model)
          end

          # @return [Sketchup::Entities] the model's root, whatever a person has open, or inside `parent_id`
          def entities
            id = @arguments.integer('parent_id', default: nil, digits: true)
            return @model.entities if id.nil?

            parent = EntityLookup.by_id(@model, id)
            if parent.nil?
              raise Failure.new('ENTITY_NOT_FOUND', "No entity #{id}",
                                details: { 'entity_id' => id })
            end
            return parent.definition.entities if parent.respond_to?(:definition)

            @arguments.refuse('parent_id', 'the entity id of a group or component instance')
          end

          def present
            Failure.new('INVALID_PARAMS', "Node #{@node_id} is in the model already",
                        details: { 'path' => 'if_exists', 'expected' => 'a node_id that is not in the model',
                                   'node_id' => @node_id })
          end
        end
      end
    end
  end
end
