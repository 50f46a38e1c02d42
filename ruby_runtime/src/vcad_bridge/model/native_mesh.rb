# frozen_string_literal: true

require_relative 'millimetres'
require_relative 'native_mesh/orientation'

module Vcad
  module Bridge
    # The geometry that a person drew as one closed triangle mesh: points shared across faces, triangles
    # counter clockwise seen from outside (seen from the void for an inner shell).
    class NativeMesh
      # Equal points of neighbouring faces differ by rounding at most.
      WELDING = 1.0e-6 # inch
      CELL = 1.0e-3 # inch
      WITH_NORMALS = 4 # Geom::PolygonMesh::MESH_NORMALS

      # @param entities [Sketchup::Entities] faces and edges of a solid group or component
      # @param transformation [Geom::Transformation, nil] baked into the points
      def initialize(entities, transformation: nil)
        @entities = entities
        @transformation = transformation
      end

      # @return [Hash] flat arrays: `positions` millimetres, `indices` from 0, `normals` one unit vector per
      #   point
      def to_h
        @points = []
        @cells = {}
        @exact = {}
        triangles = Orientation.new(@points, welded_triangles).outward
        { 'positions' => @points.flatten.map { |value| Millimetres.from_inches(value) },
          'indices' => triangles.flatten, 'normals' => normals(triangles).flatten }
      end

      private

      def welded_triangles
        @entities.grep(Sketchup::Face).flat_map { |face| triangles(face.mesh(WITH_NORMALS)) }
      end

      # Indices of the host's mesh count from 1; a negative one marks a hidden edge.
      def triangles(mesh)
        welded = (1..mesh.count_points).map { |index| weld(mesh.point_at(index)) }
        fans = mesh.polygons.flat_map do |polygon|
          corners = polygon.map { |index| welded[index.abs - 1] }
          (1..(corners.length - 2)).map { |second| [corners[0], corners[second], corners[second + 1]] }
        end
        fans.select { |triangle| triangle.uniq.length == 3 }
      end

      # @return [Integer] the index of the point, shared with any that is close enough
      def weld(point)
        point = point.transform(@transformation) if @transformation
        coordinates = [point.x.to_f, point.y.to_f, point.z.to_f]
        @exact[coordinates] ||= close_to(coordinates) || add(coordinates)
      end

      def close_to(coordinates)
        cells(coordinates).each do |cell|
          welded = @cells[cell]&.find { |index| distance(@points[index], coordinates) <= WELDING }
          return welded if welded
        end
        nil
      end

      # A cell is much larger than the tolerance, so that few points lie near the border of one.
      # @return [Array<Array<Integer>>] where points close to these coordinates may lie
      def cells(coordinates)
        first, *others = coordinates.map do |value|
          [((value - WELDING) / CELL).floor, ((value + WELDING) / CELL).floor].uniq
        end
        first.product(*others)
      end

      def add(coordinates)
        @points << coordinates
        index = @points.length - 1
        (@cells[coordinates.map { |value| (value / CELL).floor }] ||= []) << index
        index
      end

      def distance(first, second)
        Math.sqrt(first.zip(second).sum { |a, b| (a - b)**2 })
      end

      # @return [Array<Array<Float>>] per point, weighted by the area of the triangles around it
      def normals(triangles)
        sums = Array.new(@points.length) { [0.0, 0.0, 0.0] }
        triangles.each do |triangle|
          normal = Orientation.cross(*@points.values_at(*triangle))
          triangle.each { |index| sums[index] = sums[index].zip(normal).map(&:sum) }
        end
        sums.map { |sum| unit(sum) }
      end

      def unit(vector)
        length = Math.sqrt(vector.sum { |value| value * value })
        length.zero? ? vector : vector.map { |value| value / length }
      end
    end
  end
end
