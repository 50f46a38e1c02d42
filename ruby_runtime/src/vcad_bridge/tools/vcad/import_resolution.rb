# frozen_string_literal: true

require 'fileutils'
require 'json'
require_relative '../../model/entity_lookup'
require_relative '../../calls/failure'
require_relative '../../model/millimetres'
require_relative '../../model/native_mesh'
require_relative '../../nodes/edit_context'
require_relative '../../nodes/geometry/extent'
require_relative '../../nodes/metadata'
require_relative '../../nodes/occurrences'

module Vcad
  module Bridge
    module Tools
      module Vcad
        # resolve_vcad_import: what a program may import of an entity. Changes nothing.
        class ImportResolution
          EXTRACTS = %w[dims dimensions bbox transform all solid].freeze
          CAPABILITIES = %w[vcad.imports.data vcad.imports.native_mesh].freeze
          SPACES = %w[parent world local].freeze
          # Larger meshes travel as a file.
          MOST_FLOATS = 200_000

          # @param most_floats [Integer] positions and normals that still go into the reply
          def initialize(most_floats: MOST_FLOATS)
            @most_floats = most_floats
          end

          def add_to(registry)
            reading = { effect: :read, slow: true, capability: CAPABILITIES }
            registry.add('resolve_vcad_import', **reading) do |arguments, call|
              Resolution.new(arguments, call, @most_floats).to_h
            end
          end

          # One entity, one extract, one space.
          class Resolution
            def initialize(arguments, call, most_floats)
              @most_floats = most_floats
              @arguments = arguments
              @call = call
              @model = call.model
              @extract = arguments.one_of('extract', EXTRACTS).sub('dimensions', 'dims')
              @space = arguments.one_of('space', SPACES, default: @extract == 'solid' ? 'local' : 'parent')
              @entity = entity
            end

            # @return [Hash]
            def to_h
              result = { 'success' => true, 'extract' => @extract, 'vcad_node_id' => node_id,
                         'entity_id' => @entity.entityID, 'persistent_id' => @entity.persistent_id }
              return result.merge(solid) if @extract == 'solid'

              result.merge('data' => data)
            end

            private

            def data
              case @extract
              when 'dims' then dimensions
              when 'bbox' then bounds
              when 'transform' then { 'matrix' => Millimetres.matrix(required_transformation) }
              else { 'dims' => dimensions, 'bbox' => bounds, 'transform' => matrix }
              end
            end

            # X, Y, Z: in the host's words height is Y and depth is Z.
            def dimensions
              box = bounds
              size = box['max'].zip(box['min']).map { |high, low| high - low }
              { 'width' => size[0], 'height' => size[1], 'depth' => size[2] }
            end

            def bounds
              @bounds ||= Millimetres.bounds(box) ||
                          raise(Failure.new('OPERATION_FAILED', 'The entity is empty and has no extent',
                                            details: { 'entity_id' => @entity.entityID }))
            end

            def box
              return @entity.definition.bounds if @space == 'local' && placed?
              return Nodes::Extent.of(@entity, around_in_world) if @space == 'world'
              return @entity.bounds unless Nodes::EditContext.open?(@model, @entity)

              Nodes::Extent.of(@entity, @model.edit_transform.inverse)
            end

            # While its surroundings are open, the host gives the entity in world coordinates already.
            def around_in_world
              return Geom::Transformation.new if Nodes::EditContext.open?(@model, @entity)

              outer_transformation
            end

            def matrix
              placed? ? { 'matrix' => Millimetres.matrix(transformation) } : nil
            end

            def required_transformation
              return transformation if placed?

              raise Failure.new('NO_TRANSFORMATION', "A #{@entity.typename} has no transformation",
                                details: { 'entity_id' => @entity.entityID })
            end

            def transformation
              return Geom::Transformation.new if @space == 'local'

              inner = Nodes::EditContext.transformation(@model, @entity)
              @space == 'world' ? outer_transformation * inner : inner
            end

            def outer_transformation
              places = Nodes::Occurrences.new(@model).of(@entity)
              return places.first if places.length == 1
              raise missing("Entity #{@entity.entityID} is not placed in the model") if places.empty?

              raise Failure.new('NODE_AMBIGUOUS', 'The entity occurs at several places in the world',
                                details: { 'entity_id' => @entity.entityID,
                                           'entity_ids' => @entity.parent.instances.map(&:entityID) },
                                hint: 'Ask for space "parent" or "local".')
            end

            def solid
              return { 'source' => 'vcad' } if node_id

              require_solid
              baked = @space == 'local' ? nil : transformation
              mesh = NativeMesh.new(@entity.definition.entities, transformation: baked).to_h
              @space = 'parent' if @space == 'local'
              { 'source' => 'native_mesh', **carried(mesh), 'transform' => matrix }
            end

            def require_solid
              return if placed? && @entity.manifold?

              raise Failure.new('ENTITY_NOT_SOLID', "Entity #{@entity.entityID} is not a closed solid",
                                details: { 'entity_id' => @entity.entityID, 'type' => @entity.typename },
                                hint: 'It must be a closed group or component with nothing else inside.')
            end

            def carried(mesh)
              floats = mesh['positions'].length + mesh['normals'].length
              floats > @most_floats ? { 'mesh_file' => written(mesh) } : { 'mesh' => mesh }
            end

            def written(mesh)
              paths = (1..).lazy.map { |number| mesh_path(number) }
              path = paths.find { |candidate| !File.exist?(candidate) }
              FileUtils.mkdir_p(File.dirname(path))
              File.write(path, JSON.generate(mesh))
              path
            end

            def mesh_path(number)
              @call.paths.writable(".vcad/native-mesh/#{@entity.persistent_id}-#{number}.json",
                                   argument: 'mesh_file')
            end

            def placed?
              @entity.is_a?(Sketchup::ComponentInstance) || @entity.is_a?(Sketchup::Group)
            end

            def node_id
              placed? && !others? ? Nodes::Metadata.node_id(@entity.definition) : nil
            end

            # To a project, what another one has put there is as good as drawn by hand.
            def others?
              asking = @arguments.string('project_id', default: nil)
              ![nil, asking].include?(Nodes::Metadata.project_id(@entity.definition)) && !asking.nil?
            end

            def entity
              target = if @arguments.given?('entity_id')
                         EntityLookup.by_id(@model, @arguments.integer('entity_id', digits: true))
                       else
                         EntityLookup.by_persistent_id(@model, persistent_id)
                       end
              return target if target&.valid? && target.respond_to?(:bounds) && target.respond_to?(:layer)

              raise missing('The entity is not in the model')
            end

            def persistent_id
              @arguments.required!('entity_id') unless @arguments.given?('persistent_id')
              @arguments.integer('persistent_id', digits: true)
            end

            def missing(message)
              asked = @arguments.to_h.slice('entity_id', 'persistent_id')
              Failure.new('ENTITY_NOT_FOUND', message,
                          details: asked, hint: 'Entity ids end with the session; refer by persistent id.')
            end
          end
        end
      end
    end
  end
end
