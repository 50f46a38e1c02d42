# frozen_string_literal: true

# COLLADA files of boxes, as the workbench writes them: millimetres, Z up, closed, quads counter clockwise
# outward.
module ColladaBox
  FACES = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]].freeze

  module_function

  # @param size [Array<Numeric>] in the file's unit
  # @param faces [Array<Array<Integer>>] fewer leave the box open
  # @return [String] the document
  def text(size, origin: [0, 0, 0], meter: 0.001, up_axis: 'Z_UP', faces: FACES)
    positions = corners(size, origin).flatten
    <<~XML
      <?xml version="1.0" encoding="utf-8"?>
      <COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
        <asset><unit meter="#{meter}" name="unit"/><up_axis>#{up_axis}</up_axis></asset>
        <library_effects><effect id="paint"><profile_COMMON><technique sid="common"><phong><diffuse>
          <color>0.8 0.2 0.1 1</color></diffuse></phong></technique></profile_COMMON></effect></library_effects>
        <library_materials><material id="red" name="red"><instance_effect url="#paint"/></material></library_materials>
        <library_geometries><geometry id="box"><mesh>
          <source id="places"><float_array id="numbers" count="24">#{positions.join(' ')}</float_array>
            <technique_common><accessor source="#numbers" count="8" stride="3"><param name="X" type="float"/>
              <param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
          <vertices id="points"><input semantic="POSITION" source="#places"/></vertices>
          <polylist count="#{faces.length}" material="surface"><input semantic="VERTEX" source="#points" offset="0"/>
            <vcount>#{faces.map(&:length).join(' ')}</vcount><p>#{faces.flatten.join(' ')}</p></polylist>
        </mesh></geometry></library_geometries>
        <library_visual_scenes><visual_scene id="scene"><node id="part"><instance_geometry url="#box">
          <bind_material><technique_common><instance_material symbol="surface" target="#red"/></technique_common>
          </bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
        <scene><instance_visual_scene url="#scene"/></scene>
      </COLLADA>
    XML
  end

  def corners(size, origin)
    low = origin
    high = origin.zip(size).map(&:sum)
    [low[2], high[2]].flat_map do |z|
      [[low[0], low[1], z], [high[0], low[1], z], [high[0], high[1], z], [low[0], high[1], z]]
    end
  end
end
