# frozen_string_literal: true

module Headless
  module Exporters
    # Writes OBJ, and the MTL beside it when there are materials.
    module ObjWriting
      module_function

      # @param triangles [Hash] of ExportedTriangles
      # @param factor [Float] units of the file in an inch
      def write(path, triangles, factor)
        materials = triangles.keys.compact
        library = "#{path.delete_suffix(File.extname(path))}.mtl"
        points = triangles.values.flatten(2)
        place = points.uniq.each.with_index(1).to_h
        vertices = place.keys.map { |xyz| "v #{Exporters.numbers(xyz.map { |value| value * factor })}" }
        groups = triangles.flat_map { |material, faces| group(material, faces, place) }
        head = materials.empty? ? [] : ["mtllib #{File.basename(library)}"]
        File.write(path, [*head, *vertices, *groups, ''].join("\n"))
        File.write(library, materials.map { |material| look(material) }.join("\n")) unless materials.empty?
      end

      def group(material, faces, place)
        ["usemtl #{material ? word(material) : 'FrontColor'}",
         *faces.map { |corners| "f #{place.values_at(*corners).join(' ')}" }]
      end

      def look(material)
        color = material.color
        channels = [color.red, color.green, color.blue].map { |value| format('%.4f', value / 255.0) }
        "newmtl #{word(material)}\nKd #{channels.join(' ')}\nd #{format('%.4f', material.alpha)}\n"
      end

      def word(material)
        material.name.gsub(/\s+/, '_')
      end
    end
  end
end
