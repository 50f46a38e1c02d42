# frozen_string_literal: true

require_relative '../../calls/failure'
require_relative '../../model/millimetres'
require_relative 'edge_softening'
require_relative 'import_bounds'
require_relative 'triangle_mesh'

module Vcad
  module Bridge
    module Nodes
      # Brings a part's geometry into the model as a new definition and verifies it. Runs inside the caller's
      # operation: when it raises, aborting that operation takes the leftovers away.
      class GeometryImport
        # The summary and the validation would open dialogs, which stop the timers.
        COLLADA = { validate_dae: false, merge_coplanar_faces: true, show_summary: false }.freeze
        # STL has neither unit nor origin; the importer's own defaults would move the part.
        STL = { units: 'mm', merge_coplanar_faces: true, preserve_origin: true, swap_yz: false,
                show_summary: false }.freeze
        # What the host raises: no importer, no file, a reader that gave up.
        REFUSALS = [ArgumentError, IOError, RuntimeError, SystemCallError].freeze
        DEEPEST_WRAPPING = 16

        # source_closed: whether what was read describes a closed solid
        Imported = Struct.new(:definition, :source_closed, keyword_init: true)

        # @param expected_bbox [Hash, nil] `{"min", "max"}` in millimetres, checked after the import
        # @param source_closed [Boolean] whether the artifact describes a closed solid, as the workbench's do
        def initialize(model, expected_bbox: nil, source_closed: true)
          @model = model
          @expected_bbox = expected_bbox
          @source_closed = source_closed
        end

        # @param path [String] resolved
        # @param named [String] the path as the caller gave it, for messages
        # @return [Imported] raises IMPORT_DEFINITION_NOT_FOUND, IMPORT_SCALE_MISMATCH
        def from_file(path, named:)
          known = @model.definitions.to_h { |present| [present.persistent_id, true] }
          definition = import(path, named)
          unwrap(definition)
          remove_leftovers(known, definition)
          verified(definition, named)
        end

        # @param mesh [TriangleMesh]
        # @param name [String] of the new definition
        # @return [Imported] raises as from_file
        def from_mesh(mesh, name:)
          definition = @model.definitions.add(name)
          mesh.build(definition)
          @source_closed &&= mesh.closed?
          verified(definition, 'mesh')
        end

        private

        def import(path, named)
          options = File.extname(path).downcase == '.stl' ? STL : COLLADA
          definition = @model.definitions.import(path, options)
          return definition if definition.is_a?(Sketchup::ComponentDefinition)

          raise not_imported(named, 'the file holds nothing that SketchUp can read')
        rescue *REFUSALS => e
          raise not_imported(named, e.message)
        end

        # The importer may put everything into one group or component that holds the unit conversion.
        def unwrap(definition)
          DEEPEST_WRAPPING.times do
            entities = definition.entities
            return unless entities.length == 1

            wrapping = entities[0]
            return unless wrapping.is_a?(Sketchup::Group) || wrapping.is_a?(Sketchup::ComponentInstance)

            wrapping.explode
          end
        end

        def remove_leftovers(known, definition)
          loop do
            unused = @model.definitions.to_a.select do |other|
              other != definition && !known.key?(other.persistent_id) && other.instances.empty?
            end
            # The host may keep one; asking for ever would freeze it.
            return if unused.count { |other| @model.definitions.remove(other) }.zero?
          end
        end

        def verified(definition, named)
          raise no_geometry(named) if Millimetres.empty?(definition.bounds)

          ImportBounds.check(definition, @expected_bbox)
          EdgeSoftening.soften(definition.entities)
          Imported.new(definition:, source_closed: @source_closed)
        end

        def no_geometry(named)
          not_imported(named, 'nothing of it is left in the model',
                       hint: 'Points nearer than 0.025 mm are one point here: is the part that small?')
        end

        def not_imported(named, reason, hint: 'Export the part again as COLLADA (.dae).')
          Failure.new('IMPORT_DEFINITION_NOT_FOUND', "#{named} could not be imported: #{reason}",
                      details: { 'path' => named, 'reason' => reason }, hint: hint)
        end
      end
    end
  end
end
