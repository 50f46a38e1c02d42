# frozen_string_literal: true

module Headless
  module Exporters
    # What a model shows, as triangles where they stand.
    module ExportedTriangles
      module_function

      # @param only [Array<Sketchup::Drawingelement>, nil] these and what is in them, no others
      # @return [Hash{Sketchup::Material, nil => Array}] triangles of three points, in inches
      def of(model, only: nil)
        walk = SceneWalk.new(model, only: only)
        found = {}
        walk.each do |stop|
          stop.entities.headless_list.grep(Sketchup::Face) do |face|
            next unless walk.drawn?(face, stop)

            (found[face.material || stop.material] ||= []).concat(placed(face, stop.matrix))
          end
        end
        found
      end

      # A mirrored place turns faces inside out; the corners go the other way round to make up for it.
      def placed(face, matrix)
        loops = face.headless_loops.map { |loop| loop.map(&:headless_xyz) }
        points = Coordinates.transform_all(matrix, loops.flatten(1))
        cut = Triangulation.triangles(loops.first, loops.drop(1))
        cut = cut.map(&:reverse) if Coordinates.mirrors?(matrix)
        cut.map { |corners| points.values_at(*corners) }
      end
    end
  end
end
