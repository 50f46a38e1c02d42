# frozen_string_literal: true

require_relative '../../calls/arguments'
require_relative '../../model/millimetres'
require_relative '../../nodes/metadata'
require_relative '../../nodes/geometry/node_geometry'
require_relative '../../nodes/geometry/triangle_mesh'

module Vcad
  module Bridge
    module Tools
      module Vcad
        # Reads the arguments that several node tools share. Paths are checked here, before anything changes.
        class NodeArguments
          LONGEST_NAME = 255
          LONGEST_MARK = 128

          # @param arguments [Arguments]
          # @param call [Call]
          def initialize(arguments, call)
            @arguments = arguments
            @call = call
          end

          def node_id
            @arguments.string('node_id', pattern: Nodes::Metadata::NODE_ID)
          end

          # @return [String, nil] whose nodes the call is about; nil for what is no project's
          def project_id
            @arguments.string('project_id', default: nil, pattern: Nodes::Metadata::NODE_ID)
          end

          # @return [Nodes::Identity] written beside the geometry
          def identity
            Nodes::Identity.new(project_id:, digest: mark('digest'), pushed_by: mark('pushed_by'))
          end

          def component_name
            @arguments.string('component_name', default: "vcad_#{node_id}", empty: false, max: LONGEST_NAME)
          end

          # @return [String, nil] as given, after the path check
          def source_file
            given = @arguments.string('source_file', default: nil)
            return nil if given.nil? || given.empty?

            @call.paths.readable(given, argument: 'source_file')
            given
          end

          # @return [Integer, nil] the workbench's revision, echoed only
          def revision
            @arguments.integer('revision', default: nil)
          end

          def force?
            @arguments.boolean('force', default: false)
          end

          # @return [Geom::Transformation] of a new instance: `transformation` or `position`, else where it
          #   was made
          def transformation
            explicit_transformation || Geom::Transformation.new(
              Millimetres.to_point(@arguments.numbers('position', 3, default: [0.0, 0.0, 0.0]))
            )
          end

          # @return [Geom::Transformation, nil] `transformation`, when given
          def explicit_transformation
            numbers = @arguments.numbers('transformation', 16, default: nil)
            return nil if numbers.nil?
            return Millimetres.transformation(numbers) if invertible?(numbers)

            @arguments.refuse('transformation', 'an invertible matrix, column major, with last row 0 0 0 1')
          end

          def layer
            @arguments.string('layer', default: nil, max: LONGEST_NAME)
          end

          def material
            @arguments.string('material', default: nil, max: LONGEST_NAME)
          end

          # @return [Nodes::NodeGeometry::Artifact]
          def artifact
            shared = { expected_bbox:,
                       source_closed: @arguments.boolean('source_closed', default: true) }
            if @arguments.given?('mesh')
              return Nodes::NodeGeometry::Artifact.new(mesh:, named: 'mesh',
                                                       **shared)
            end

            argument = %w[mesh_path obj_path].find { |name| @arguments.given?(name) } || 'mesh_path'
            named = @arguments.string(argument)
            resolved = @call.paths.readable(named, argument:)
            suffix = File.extname(resolved).downcase
            @arguments.refuse(argument, 'a .dae file, or .stl with units "mm"') unless importable?(suffix)
            Nodes::NodeGeometry::Artifact.new(mesh_path: resolved, named:, **shared)
          end

          private

          # Another suffix goes to the host, which says itself what it cannot read.
          def importable?(suffix)
            suffix != '.stl' || @arguments.one_of('units', %w[mm], default: nil) == 'mm'
          end

          def mark(name)
            @arguments.string(name, default: nil, empty: false, max: LONGEST_MARK)
          end

          def mesh
            Nodes::TriangleMesh.read(@arguments.nested('mesh'))
          end

          def expected_bbox
            return nil unless @arguments.given?('expected_bbox_mm')

            box = @arguments.nested('expected_bbox_mm')
            { 'min' => box.numbers('min', 3), 'max' => box.numbers('max', 3) }
          end

          def invertible?(numbers)
            x, y, z = [0, 4, 8].map { |start| Geom::Vector3d.new(*numbers[start, 3]) }
            last_row = numbers.values_at(3, 7, 11)
            x.cross(y).dot(z).abs > 1.0e-12 && last_row.all?(&:zero?) && numbers[15].positive?
          end
        end
      end
    end
  end
end
