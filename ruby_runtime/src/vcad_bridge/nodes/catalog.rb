# frozen_string_literal: true

require_relative '../failure'
require_relative 'metadata'

module Vcad
  module Bridge
    module Nodes
      # The nodes of one model: definitions by node_id. Reads only.
      class Catalog
        def initialize(model)
          @model = model
        end

        # @return [Array<Sketchup::ComponentDefinition>] every definition that carries a node_id, in the
        #   model's order
        def all
          @model.definitions.to_a.select { |definition| Metadata.node_id(definition) }
        end

        # @return [Array<Sketchup::ComponentDefinition>] several after "make unique" or an import of another
        #   file
        def definitions(node_id)
          @model.definitions.to_a.select { |definition| Metadata.node_id(definition) == node_id }
        end

        # @return [Sketchup::ComponentDefinition] raises NODE_NOT_FOUND, NODE_AMBIGUOUS
        def fetch(node_id)
          found = fetch_all(node_id)
          found.length > 1 ? raise(ambiguous(node_id, found)) : found.first
        end

        # @return [Array<Sketchup::ComponentDefinition>] at least one; raises NODE_NOT_FOUND
        def fetch_all(node_id)
          found = definitions(node_id)
          return found unless found.empty?

          raise Failure.new('NODE_NOT_FOUND', "No node #{node_id} in the model",
                            details: { 'node_id' => node_id },
                            hint: 'Place it first, or list the nodes to see their names.')
        end

        # @return [Failure]
        def ambiguous(node_id, definitions)
          instances = definitions.flat_map { |definition| definition.instances.to_a }
          Failure.new('NODE_AMBIGUOUS', "#{definitions.length} definitions carry node_id #{node_id}",
                      details: { 'node_id' => node_id, 'entity_ids' => instances.map(&:entityID),
                                 'definition_names' => definitions.map(&:name) },
                      hint: 'A copy was made unique: remove one, or update with force to change all.')
        end

        # @return [Array<Sketchup::ComponentInstance>] of the given definitions, still valid, as a snapshot
        def self.instances(definitions)
          definitions.flat_map { |definition| definition.instances.to_a }.select(&:valid?)
        end
      end
    end
  end
end
