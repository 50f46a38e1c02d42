# frozen_string_literal: true

module Headless
  module Importers
    # Polygons as a file holds them, in the file's units.
    #
    # positions: [x, y, z] Floats; polygons: arrays of indices; holes: polygon number to arrays of
    # indices; normals: [x, y, z] Floats; corner_normals: per polygon its normals' indices, or nil;
    # materials: per polygon a key, or nil.
    Surface = Struct.new(:positions, :polygons, :holes, :normals, :corner_normals, :materials,
                         keyword_init: true) do
      # @return [Surface] an empty one
      def self.empty
        new(positions: [], polygons: [], holes: {}, normals: [], corner_normals: [], materials: [])
      end

      def empty?
        polygons.empty?
      end

      # Adds another surface, moved by a matrix; one that mirrors turns the polygons around.
      # @param matrix [Array<Float>] 16 numbers, column major
      def add(other, matrix)
        first_polygon = polygons.size
        add_polygons(other, positions.size, normals.size)
        positions.concat(Coordinates.transform_all(matrix, other.positions))
        normals.concat(turned(other.normals, matrix))
        reverse_from(first_polygon) if Coordinates.mirrors?(matrix)
        self
      end

      # Adds another surface's polygons, whose positions and normals begin here at these indices.
      def add_polygons(other, first, first_normal)
        other.holes.each { |polygon, loops| holes[polygons.size + polygon] = shifted(loops, first) }
        polygons.concat(shifted(other.polygons, first))
        corner_normals.concat(shifted(other.corner_normals, first_normal))
        materials.concat(other.materials)
      end

      private

      def shifted(lists, by)
        by.zero? ? lists : lists.map { |list| list&.map { |index| index + by } }
      end

      # Normals go by the inverse transposed; up to length that is the matrix of cofactors.
      def turned(list, matrix)
        cofactors = Axes.matrix(cofactor_columns(matrix), [0.0, 0.0, 0.0])
        return list if TransformationArguments.uniform_along_axes?(cofactors)

        Coordinates.transform_all(cofactors, list).zip(list).map do |xyz, before|
          Coordinates.unit(xyz) || before
        end
      end

      def cofactor_columns(matrix)
        x, y, z = TransformationArguments::UNIT_AXES.map { |axis| Coordinates.turn(matrix, axis) }
        columns = [Coordinates.cross(y, z), Coordinates.cross(z, x), Coordinates.cross(x, y)]
        Coordinates.mirrors?(matrix) ? columns.map { |column| column.map(&:-@) } : columns
      end

      def reverse_from(polygon)
        (polygon...polygons.size).each do |index|
          polygons[index] = polygons[index].reverse
          corner_normals[index] = corner_normals[index]&.reverse
          holes[index] = holes[index].map(&:reverse) if holes.key?(index)
        end
      end
    end
  end
end
