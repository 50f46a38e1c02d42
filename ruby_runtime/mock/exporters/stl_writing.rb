# frozen_string_literal: true

module Headless
  module Exporters
    # Writes STL, binary unless `format` says ascii.
    module StlWriting
      module_function

      # @param parts [Array<ExportedPart>]
      # @param options [Hash] units, swap_yz, format
      def write(path, parts, options)
        triangles = parts.flat_map do |part|
          positions = ObjWriting.placed(part.positions, options)
          part.faces.flat_map { |_, _, corners,| corners.map { |triangle| positions.values_at(*triangle) } }
        end
        ascii = options[:format].to_s == 'ascii'
        ascii ? File.write(path, text(triangles)) : File.binwrite(path, binary(triangles))
      end

      def binary(triangles)
        rows = triangles.map { |corners| [*normal(corners), *corners.flatten, 0].pack('e12v') }
        ['headless'].pack('a80') + [triangles.size].pack('V') + rows.join
      end

      def text(triangles)
        rows = triangles.map do |corners|
          vertices = corners.map { |xyz| "vertex #{numbers(xyz)}\n" }.join
          "facet normal #{numbers(normal(corners))}\nouter loop\n#{vertices}endloop\nendfacet\n"
        end
        "solid headless\n#{rows.join}endsolid headless\n"
      end

      def normal(corners)
        Coordinates.unit(Coordinates.area_vector(corners)) || [0.0, 0.0, 0.0]
      end

      def numbers(xyz)
        xyz.map { |value| format('%.9g', value) }.join(' ')
      end
    end
  end
end
