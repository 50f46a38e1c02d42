# frozen_string_literal: true

module Headless
  module Exporters
    # Writes COLLADA in inches, Z up: one geometry per material.
    module ColladaWriting
      HEAD = <<~XML
        <?xml version="1.0" encoding="UTF-8"?>
        <COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
        <asset><created>2000-01-01T00:00:00Z</created><modified>2000-01-01T00:00:00Z</modified>
        <unit meter="0.0254" name="inch"/><up_axis>Z_UP</up_axis></asset>
      XML
      FOOT = "<scene><instance_visual_scene url=\"#scene\"/></scene>\n</COLLADA>\n"

      module_function

      # @param triangles [Hash] of ExportedTriangles
      def write(path, triangles, _factor)
        libraries = { 'effects' => [], 'materials' => [], 'geometries' => [], 'visual_scenes' => [] }
        triangles.each_with_index do |(material, faces), index|
          libraries['effects'] << effect(material, index) if material
          libraries['materials'] << material(material, index) if material
          libraries['geometries'] << geometry(faces, index)
          libraries['visual_scenes'] << node(material, index)
        end
        nodes = libraries['visual_scenes']
        libraries['visual_scenes'] = ['<visual_scene id="scene">', *nodes, '</visual_scene>']
        kept = libraries.reject { |_, parts| parts.empty? }
        body = kept.map { |name, parts| "<library_#{name}>\n#{parts.join("\n")}\n</library_#{name}>\n" }
        File.write(path, [HEAD, *body, FOOT].join)
      end

      def effect(material, index)
        color = material.color
        channels = [color.red, color.green, color.blue].map { |value| value / 255.0 } << material.alpha
        "<effect id=\"effect-#{index}\"><profile_COMMON><technique sid=\"COMMON\"><lambert><diffuse>" \
          "<color>#{Exporters.numbers(channels)}</color></diffuse></lambert></technique></profile_COMMON>" \
          '</effect>'
      end

      def material(material, index)
        "<material id=\"material-#{index}\" name=#{material.name.encode(xml: :attr)}>" \
          "<instance_effect url=\"#effect-#{index}\"/></material>"
      end

      def geometry(faces, index)
        place = faces.flatten(1).uniq.each_with_index.to_h
        corners = faces.flatten(1).map { |xyz| place.fetch(xyz) }
        axes = %w[X Y Z].map { |axis| "<param name=\"#{axis}\" type=\"float\"/>" }.join
        <<~XML.chomp
          <geometry id="geometry-#{index}"><mesh><source id="positions-#{index}">
          <float_array id="array-#{index}" count="#{place.size * 3}">#{Exporters.numbers(place.keys.flatten)}</float_array>
          <technique_common><accessor source="#array-#{index}" count="#{place.size}" stride="3">#{axes}</accessor>
          </technique_common></source>
          <vertices id="vertices-#{index}"><input semantic="POSITION" source="#positions-#{index}"/></vertices>
          <triangles count="#{faces.size}" material="symbol"><input semantic="VERTEX" source="#vertices-#{index}" offset="0"/>
          <p>#{corners.join(' ')}</p></triangles></mesh></geometry>
        XML
      end

      def node(material, index)
        target = "symbol=\"symbol\" target=\"#material-#{index}\""
        bound = "<bind_material><technique_common><instance_material #{target}/></technique_common>" \
                '</bind_material>'
        "<node id=\"node-#{index}\"><instance_geometry url=\"#geometry-#{index}\">#{bound if material}" \
          '</instance_geometry></node>'
      end
    end
  end
end
