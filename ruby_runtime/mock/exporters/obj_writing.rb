# frozen_string_literal: true

module Headless
  module Exporters
    # Writes OBJ, and the MTL beside it when there are materials.
    module ObjWriting
      module_function

      # @param parts [Array<ExportedPart>]
      # @param options [Hash] units, swap_yz, triangulated_faces, edges
      def write(path, parts, options)
        materials = parts.flat_map { |part| part.faces.map(&:last) }.compact.uniq
        name = File.basename(path, '.*')
        lines = ['# Exported by the headless SketchUp']
        lines << "mtllib #{name}.mtl" unless materials.empty?
        first = 1
        parts.each do |part|
          write_part(lines, part, first, options)
          first += part.positions.size
        end
        File.write(path, "#{lines.join("\n")}\n")
        return if materials.empty?

        File.write(File.join(File.dirname(path), "#{name}.mtl"),
                   material_file(materials))
      end

      def write_part(lines, part, first, options)
        lines << "g #{word(part.name)}"
        placed(part.positions, options).each do |xyz|
          lines << "v #{xyz.map do |value|
                          format('%.9g', value)
                        end.join(' ')}"
        end
        part.faces.group_by(&:last).each do |material, faces|
          lines << "usemtl #{material ? word(material.name) : 'FrontColor'}"
          faces.each { |row| add_faces(lines, row, first, options) }
        end
        part.lines.each { |ends| lines << "l #{indices(ends, first)}" } if options[:edges]
      end

      def add_faces(lines, row, first, options)
        ExportedParts.loops(row, options).each { |loop| lines << "f #{indices(loop, first)}" }
      end

      def indices(corners, first)
        corners.map { |corner| corner + first }.join(' ')
      end

      # @return [Array<Array(Float, Float, Float)>] in the file's unit and axes
      def placed(positions, options)
        factor = 1 / Units.inches_in(options[:units])
        positions.map do |x, y, z|
          x *= factor
          y *= factor
          z *= factor
          options[:swap_yz] ? [x, z, -y] : [x, y, z]
        end
      end

      def word(name)
        name.gsub(/\s+/, '_')
      end

      def material_file(materials)
        rows = materials.map do |material|
          color = material.color
          channels = [color.red, color.green, color.blue].map { |value| format('%.4f', value / 255.0) }
          "newmtl #{word(material.name)}\nKd #{channels.join(' ')}\nd #{format('%.4f', material.alpha)}"
        end
        "#{rows.join("\n\n")}\n"
      end
    end
  end
end
