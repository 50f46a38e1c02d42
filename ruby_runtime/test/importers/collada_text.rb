# frozen_string_literal: true

# COLLADA texts for tests: a box in any unit and orientation, and documents around any geometry.
module ColladaText
  TRIANGLES = [[0, 3, 2], [0, 2, 1], [4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4],
               [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 0, 4], [3, 4, 7]].freeze
  QUADS = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]].freeze
  # Z up to the file's axes.
  TO_FILE = {
    'Z_UP' => ->(x, y, z) { [x, y, z] }, 'Y_UP' => ->(x, y, z) { [x, z, -y] }, 'X_UP' => lambda { |x, y, z|
                                                                                           [z, -x, -y]
                                                                                         }
  }.freeze

  module_function

  # @param size [Array(Numeric, Numeric, Numeric)] in the file's unit, Z up
  def corners(size, up_axis: 'Z_UP')
    x, y, z = size
    [[0, 0, 0], [x, 0, 0], [x, y, 0], [0, y, 0], [0, 0, z], [x, 0, z], [x, y, z], [0, y, z]]
      .map { |point| TO_FILE.fetch(up_axis).call(*point) }
  end

  # A box of triangles.
  def box(size = [10, 20, 30], meter: 0.001, up_axis: 'Z_UP', **rest)
    shape = geometry(corners(size, up_axis: up_axis), triangles(TRIANGLES))
    document(shape, meter: meter, up_axis: up_axis, **rest)
  end

  def triangles(list)
    %(<triangles count="#{list.size}" material="surface">#{VERTEX}) +
      %(<p>#{list.flatten.join(' ')}</p></triangles>)
  end

  def polylist(list)
    %(<polylist count="#{list.size}" material="surface">#{VERTEX}) +
      %(<vcount>#{list.map(&:size).join(' ')}</vcount><p>#{list.flatten.join(' ')}</p></polylist>)
  end

  def geometry(points, primitives, sources: '', id: 'shape')
    %(<geometry id="#{id}" name="#{id}"><mesh>#{source('p', points)}#{sources}) +
      %(<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>#{primitives}</mesh></geometry>)
  end

  def source(id, rows)
    axes = %w[X Y Z].map { |axis| %(<param name="#{axis}" type="float"/>) }.join
    <<~XML
      <source id="#{id}"><float_array id="#{id}-array" count="#{rows.size * 3}">#{rows.flatten.join(' ')}
      </float_array><technique_common><accessor source="##{id}-array" count="#{rows.size}" stride="3">#{axes}
      </accessor></technique_common></source>
    XML
  end

  VERTEX = '<input semantic="VERTEX" source="#v" offset="0"/>'
  NODE = '<node id="part" name="part"><instance_geometry url="#shape"/></node>'

  def document(geometries, nodes: NODE, meter: 0.001, up_axis: 'Z_UP', libraries: '')
    <<~XML.chomp
      <?xml version="1.0" encoding="utf-8"?>
      <!-- made for a test -->
      <COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
      <asset>#{meter && %(<unit name="unit" meter="#{meter}"/>)}<up_axis>#{up_axis}</up_axis></asset>#{libraries}
      <library_geometries>#{geometries}</library_geometries>
      <library_visual_scenes><visual_scene id="scene">#{nodes}</visual_scene></library_visual_scenes>
      <scene><instance_visual_scene url="#scene"/></scene></COLLADA>
    XML
  end
end
