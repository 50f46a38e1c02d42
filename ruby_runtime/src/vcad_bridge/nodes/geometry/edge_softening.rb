# frozen_string_literal: true

module Vcad
  module Bridge
    module Nodes
      # Lines show only where a part has an edge. The artifact says so by its normals; but points closer
      # than the host can tell apart become one, and then their normals disagree.
      module EdgeSoftening
        # Cosine of the turn between two faces that people see as an edge: 30 degrees, as everywhere in the
        # workbench. Rounding must not show the edges of a body that turns by just that.
        CREASE = Math.cos(Math::PI / 6.0) - 1.0e-6

        # Softens edges between two faces that turn less, inside the caller's operation.
        def self.soften(entities)
          normals = {}
          entities.grep(Sketchup::Edge).each do |edge|
            next if edge.soft?

            faces = edge.faces
            next unless faces.length == 2

            left, right = faces.map { |face| normals[face] ||= face.normal }
            edge.soft = edge.smooth = true if left.dot(right) >= CREASE
          end
        end
      end
    end
  end
end
