# frozen_string_literal: true

module Headless
  module Exporters
    # Writes STL as text.
    module StlWriting
      module_function

      # @param triangles [Hash] of ExportedTriangles
      # @param factor [Float] units of the file in an inch
      def write(path, triangles, factor)
        facets = triangles.values.flatten(1).map do |corners|
          normal = Coordinates.unit(Coordinates.area_vector(corners)) || [0.0, 0.0, 0.0]
          vertices = corners.map { |xyz| "vertex #{Exporters.numbers(xyz.map { |v| v * factor })}\n" }.join
          "facet normal #{Exporters.numbers(normal)}\nouter loop\n#{vertices}endloop\nendfacet\n"
        end
        File.write(path, "solid headless\n#{facets.join}endsolid headless\n")
      end
    end
  end
end
