# frozen_string_literal: true

module Headless
  module Exporters
    # Writes COLLADA as the host does: inches, Z up, one geometry per part.
    module ColladaWriting
      HEAD = <<~XML
        <?xml version="1.0" encoding="UTF-8"?>
        <COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
        <asset><created>2000-01-01T00:00:00Z</created><modified>2000-01-01T00:00:00Z</modified>
        <unit meter="0.0254" name="inch"/><up_axis>Z_UP</up_axis></asset>
      XML
      FOOT = "<scene><instance_visual_scene url=\"#scene\"/></scene>\n</COLLADA>\n"

      module_function

      # @param parts [Array<ExportedPart>]
      # @param options [Hash] triangulated_faces, edges
      def write(path, parts, options)
        materials = parts.flat_map { |part| part.faces.map(&:last) }.compact.uniq
        geometries = parts.each_with_index.map { |part, index| geometry(part, index, materials, options) }
        nodes = parts.each_with_index.map { |part, index| node(part, index, materials) }
        File.write(path, [
          HEAD, "<library_effects>\n", *materials.each_with_index.map { |one, index| effect(one, index) },
          "</library_effects>\n<library_materials>\n",
          *materials.each_with_index.map { |one, index| material(one, index) },
          "</library_materials>\n<library_geometries>\n", *geometries, "</library_geometries>\n",
          "<library_visual_scenes><visual_scene id=\"scene\">\n", *nodes,
          "</visual_scene></library_visual_scenes>\n", FOOT
        ].join)
      end

      def effect(material, index)
        color = material.color
        channels = [color.red, color.green, color.blue].map { |value| format('%.6g', value / 255.0) }
        "<effect id=\"effect-#{index}\"><profile_COMMON><technique sid=\"COMMON\"><lambert><diffuse>" \
          "<color>#{channels.join(' ')} #{format('%.6g', material.alpha)}</color>" \
          "</diffuse></lambert></technique></profile_COMMON></effect>\n"
      end

      def material(material, index)
        "<material id=\"material-#{index}\" name=#{material.name.encode(xml: :attr)}>" \
          "<instance_effect url=\"#effect-#{index}\"/></material>\n"
      end

      def geometry(part, index, materials, options)
        id = "geometry-#{index}"
        <<~XML
          <geometry id="#{id}" name=#{part.name.encode(xml: :attr)}><mesh>
          #{source(id, part.positions)}
          <vertices id="#{id}-vertices"><input semantic="POSITION" source="##{id}-positions"/></vertices>
          #{primitives(id, part, materials, options).join}</mesh></geometry>
        XML
      end

      def source(id, positions)
        numbers = positions.map { |xyz| xyz.map { |value| format('%.9g', value) }.join(' ') }.join("\n")
        axes = %w[X Y Z].map { |axis| "<param name=\"#{axis}\" type=\"float\"/>" }
        <<~XML.chomp
          <source id="#{id}-positions"><float_array id="#{id}-array" count="#{positions.size * 3}">
          #{numbers}
          </float_array><technique_common><accessor source="##{id}-array" count="#{positions.size}" stride="3">
          #{axes.join}</accessor></technique_common></source>
        XML
      end

      def primitives(id, part, materials, options)
        input = "<input semantic=\"VERTEX\" source=\"##{id}-vertices\" offset=\"0\"/>"
        made = part.faces.group_by(&:last).map do |material, faces|
          loops = faces.flat_map { |row| ExportedParts.loops(row, options) }
          symbol = material && " material=\"symbol-#{materials.index(material)}\""
          "<polylist count=\"#{loops.size}\"#{symbol}>#{input}" \
            "<vcount>#{loops.map(&:size).join(' ')}</vcount><p>#{loops.flatten.join(' ')}</p></polylist>\n"
        end
        return made unless options[:edges] && !part.lines.empty?

        made << "<lines count=\"#{part.lines.size}\">#{input}<p>#{part.lines.flatten.join(' ')}</p></lines>\n"
      end

      def node(part, index, materials)
        bound = part.faces.map(&:last).compact.uniq.map do |material|
          number = materials.index(material)
          "<instance_material symbol=\"symbol-#{number}\" target=\"#material-#{number}\"/>"
        end
        <<~XML
          <node id="node-#{index}" name=#{part.name.encode(xml: :attr)}>
          <instance_geometry url="#geometry-#{index}"><bind_material><technique_common>#{bound.join}</technique_common></bind_material>
          </instance_geometry></node>
        XML
      end
    end
  end
end
