# frozen_string_literal: true

module Headless
  # Axis aligned extents through any nesting. Boxes of turned instances are taken from the points, not
  # from the corners of inner boxes, so that they are exact. Extents are [low, high] triples or nil.
  module Extents
    module_function

    # @param points [Array<Array(Float, Float, Float)>]
    # @return [Geom::BoundingBox]
    def box(points)
      to_box(of_points(points))
    end

    # @param extents [Array, nil]
    # @return [Geom::BoundingBox] empty for nil
    def to_box(extents)
      made = Geom::BoundingBox.new
      made.add(Coordinates.point(extents[0]), Coordinates.point(extents[1])) if extents
      made
    end

    def of_points(points)
      return nil if points.empty?

      low_x, low_y, low_z = points.first
      high_x, high_y, high_z = points.first
      points.each do |x, y, z|
        x < low_x ? low_x = x : (high_x = x if x > high_x)
        y < low_y ? low_y = y : (high_y = y if y > high_y)
        z < low_z ? low_z = z : (high_z = z if z > high_z)
      end
      [[low_x, low_y, low_z], [high_x, high_y, high_z]]
    end

    def union(extents)
      extents = extents.compact
      return nil if extents.empty?

      of_points(extents.flatten(1))
    end

    # @param entities [Sketchup::Entities] what lies in a collection, in its own coordinates
    def of_entities(entities)
      entities.headless_remember(:extents) do
        union([of_points(entities.headless_own_points)] +
              entities.headless_placed.map { |instance| of_instance(instance) })
      end
    end

    # @param instance [Sketchup::ComponentInstance, Sketchup::Group] in its parent's coordinates
    def of_instance(instance)
      matrix = instance.headless_matrix
      inner = instance.headless_definition.headless_entities
      return turned_box(of_entities(inner), matrix) if axis_aligned?(matrix)

      inner.headless_remember([:turned, matrix]) { through(inner, matrix) }
    end

    # Extents of what lies in a collection, seen through a matrix.
    def through(entities, matrix)
      return turned_box(of_entities(entities), matrix) if axis_aligned?(matrix)

      own = entities.headless_own_points.map { |xyz| Coordinates.transform(matrix, xyz) }
      union([of_points(own)] + entities.headless_placed.map do |instance|
        through(instance.headless_definition.headless_entities,
                Coordinates.product(matrix, instance.headless_matrix))
      end)
    end

    def turned_box(extents, matrix)
      return nil unless extents

      of_points(extents.map { |corner| Coordinates.transform(matrix, corner) })
    end

    # Whether boxes stay boxes: each axis goes to one axis.
    def axis_aligned?(matrix)
      [0, 4, 8].all? { |column| [0, 1, 2].count { |row| matrix[column + row].abs > 1e-12 } <= 1 }
    end
  end

  # Whether geometry encloses a body, and how large it is.
  module Solidity
    module_function

    # Every edge between exactly two faces, and nothing nested.
    def closed?(entities)
      override = entities.headless_definition&.headless_manifold
      return override unless override.nil?

      entities.headless_remember(:closed) do
        list = entities.headless_list
        list.any?(Sketchup::Face) && entities.headless_placed.empty? &&
          list.all? { |element| !element.is_a?(Sketchup::Edge) || element.headless_faces.size == 2 }
      end
    end

    # @return [Float] cubic inches in the collection's own coordinates
    def volume(entities)
      entities.headless_remember(:volume) do
        entities.headless_list.grep(Sketchup::Face).sum { |face| share(face) }.abs
      end
    end

    # Of the cone from the origin to the face, signed.
    def share(face)
      normal = face.headless_normal
      area = face.headless_loops.each_with_index.sum do |loop, place|
        size = Coordinates.norm(Coordinates.area_vector(loop.map(&:headless_xyz))) / 2
        place.zero? ? size : -size
      end
      Coordinates.dot(normal, face.headless_outer.first.headless_xyz) * area / 3
    end

    # @return [Float] factor of volumes
    def scale(matrix)
      axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map { |axis| Coordinates.turn(matrix, axis) }
      Coordinates.dot(axes[0], Coordinates.cross(axes[1], axes[2])).abs
    end
  end
end
