# frozen_string_literal: true

require_relative '../calls/failure'
require_relative 'metadata'

module Vcad
  module Bridge
    module Nodes
      # The nodes of one model: definitions by node_id. Reads only.
      #
      # A project sees its own nodes and no other's. A client that names none sees all, and changes only
      # what is no project's.
      class Catalog
        # @param project_id [String, nil] whose nodes are meant
        def initialize(model, project_id = nil)
          @model = model
          @project_id = project_id
        end

        # @return [Array<Sketchup::ComponentDefinition>] every definition that carries a node_id, in the
        #   model's order
        def all
          @model.definitions.to_a.select { |definition| Metadata.node_id(definition) }
        end

        # @return [Array<Sketchup::ComponentDefinition>] what a client may look at: of a project its own, and
        #   what is no project's and may prove to be its; of a client that names none, all
        def visible
          return all if @project_id.nil?

          all.select { |definition| [nil, @project_id].include?(Metadata.project_id(definition)) }
        end

        # @return [Integer] of a project its own nodes; for a client that names none, all
        def count
          all.count { |definition| @project_id.nil? || own?(definition) }
        end

        # @return [Array<Sketchup::ComponentDefinition>] several after "make unique" or an import of another
        #   file
        def definitions(node_id)
          @model.definitions.to_a.select do |definition|
            Metadata.node_id(definition) == node_id && own?(definition)
          end
        end

        # @return [Boolean] whether the definition is this project's
        def own?(definition)
          Metadata.project_id(definition) == @project_id
        end

        # @return [Sketchup::ComponentDefinition] raises NODE_NOT_FOUND, NODE_AMBIGUOUS
        def fetch(node_id)
          sharing = fetch_all(node_id)
          sharing.length > 1 ? raise(ambiguous(node_id, sharing)) : sharing.first
        end

        # @return [Array<Sketchup::ComponentDefinition>] at least one; raises NODE_NOT_FOUND
        def fetch_all(node_id)
          sharing = definitions(node_id)
          return sharing unless sharing.empty?

          where = @project_id ? 'of this project in the model' : 'in the model'
          raise Failure.new('NODE_NOT_FOUND', "No node #{node_id} #{where}",
                            details: { 'node_id' => node_id }, hint: elsewhere(node_id))
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

        private

        def elsewhere(node_id)
          return 'Place it first, or list the nodes to see their names.' unless all.any? do |definition|
            Metadata.node_id(definition) == node_id
          end

          'There is one of another project, which is left alone: list the nodes to see whose they are.'
        end
      end
    end
  end
end
