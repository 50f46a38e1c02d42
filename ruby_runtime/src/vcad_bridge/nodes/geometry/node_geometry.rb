# frozen_string_literal: true

require_relative '../catalog'
require_relative '../definition_swap'
require_relative 'geometry_import'
require_relative '../metadata'
require_relative 'solidity'

module Vcad
  module Bridge
    module Nodes
      # A node's definition: made from an artifact, or replaced by a newer one. Runs inside the caller's
      # operation.
      class NodeGeometry
        # mesh_path: resolved; named: as given; mesh: TriangleMesh instead of a path; expected_bbox: Hash or
        # nil; source_closed: whether the artifact describes a closed solid
        Artifact = Struct.new(:mesh_path, :named, :mesh, :expected_bbox, :source_closed, keyword_init: true)

        # definition · instances: those that show it · version · created · source_closed: false where the
        # artifact itself is open, nil where nothing was imported
        Outcome = Struct.new(:definition, :instances, :version, :created, :source_closed,
                             keyword_init: true) do
          # @return [Boolean]
          def manifold
            @manifold = Solidity.closed?(definition) if @manifold.nil?
            @manifold
          end

          # @return [Array<String>] why a closed artifact did not become a solid
          def warnings
            return [] if source_closed.nil? || manifold
            return ['NESTED_GEOMETRY'] if Solidity.nested?(definition)

            source_closed ? ['TOLERANCE_COLLAPSE'] : []
          end
        end

        # @param identity [Identity] whose it is
        # @param source_file [String, nil] nil keeps what an older definition says
        def initialize(model, node_id, artifact, identity: Identity.new, source_file: nil)
          @model = model
          @node_id = node_id
          @identity = identity
          @artifact = artifact
          @source_file = source_file
        end

        # @return [Outcome]
        def create(component_name)
          imported = import(component_name)
          definition = imported.definition
          definition.name = component_name
          mark(definition, @source_file, Metadata::FIRST_VERSION)
          Outcome.new(definition:, instances: [], version: Metadata::FIRST_VERSION, created: true,
                      source_closed: imported.source_closed)
        end

        # @param old_definitions [Array<Sketchup::ComponentDefinition>] all are replaced by the one new
        # @return [Outcome]
        def replace(old_definitions)
          version = old_definitions.map { |definition| Metadata.version(definition) }.max + 1
          source_file = @source_file || Metadata.source_file(old_definitions.first)
          imported = import(old_definitions.first.name)
          mark(imported.definition, source_file, version)
          instances = DefinitionSwap.new(@model, old_definitions, imported.definition).call
          Outcome.new(definition: imported.definition, instances:, version:, created: false,
                      source_closed: imported.source_closed)
        end

        private

        def import(name)
          import = GeometryImport.new(@model, expected_bbox: @artifact.expected_bbox,
                                              source_closed: @artifact.source_closed)
          return import.from_mesh(@artifact.mesh, name:) if @artifact.mesh

          import.from_file(@artifact.mesh_path, named: @artifact.named)
        end

        def mark(definition, source_file, version)
          Metadata.mark_definition(definition, @identity, node_id: @node_id, source_file:, version:)
        end
      end
    end
  end
end
