# frozen_string_literal: true

module Headless
  module Exporters
    # Geometry on its way into a file: one part per collection of entities that is placed somewhere.
    #
    # positions: [x, y, z] in inches in the model; faces: rows of [face, corners, triangles, material]
    # with corners nil for faces with holes; lines: pairs of indices of hard edges.
    ExportedPart = Struct.new(:name, :positions, :faces, :lines, keyword_init: true)

    # Collects what a model shows.
    module ExportedParts
      module_function

      # @param options [Hash] selectionset_only, doublesided_faces
      # @return [Array<ExportedPart>]
      def of(model, options)
        walk = SceneWalk.new(model, only: options[:selectionset_only] ? model.selection.to_a : nil)
        parts = []
        walk.each { |stop| parts << part(walk, stop, options) }
        parts.reject { |one| one.faces.empty? && one.lines.empty? }
      end

      def part(walk, stop, options)
        mesh = DrawingMesh.of(stop.entities)
        mirrored = Coordinates.mirrors?(stop.matrix)
        faces = mesh.triangles.keys.select { |face| walk.drawn?(face, stop) }.flat_map do |face|
          rows(face, mesh, stop, mirrored, options)
        end
        lines = mesh.lines.select { |edge, _| !edge.headless_unseen? && walk.drawn?(edge, stop) }.values
        ExportedPart.new(name: name(stop), positions: Coordinates.transform_all(stop.matrix, mesh.positions),
                         faces: faces, lines: lines)
      end

      # @param row [Array] one of a part's faces
      # @return [Array<Array<Integer>>] its outline, or triangles where these are needed or asked for
      def loops(row, options)
        _, corners, triangles, = row
        corners && !options[:triangulated_faces] ? [corners] : triangles
      end

      def name(stop)
        definition = stop.entities.headless_definition
        definition ? definition.name : 'Model'
      end

      def rows(face, mesh, stop, mirrored, options)
        triangles = mesh.triangles.fetch(face)
        corners = mesh.corners(face)
        front = [face, corners, triangles, face.material || stop.material]
        back = [face, corners&.reverse, triangles.map(&:reverse), face.back_material || stop.material]
        # A mirrored place turns faces inside out; the corners go the other way round to make up for it.
        front[1], front[2], back[1], back[2] = back[1], back[2], front[1], front[2] if mirrored
        options[:doublesided_faces] ? [front, back] : [front]
      end
    end
  end
end
