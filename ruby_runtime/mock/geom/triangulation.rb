# frozen_string_literal: true

module Headless
  # Cuts flat polygons, with holes, into triangles: a fan when convex, else ears. Every corner is
  # used, those on straight edges too, so that neighbours still fit.
  module Triangulation
    module_function

    # @param outer [Array] corners of the outside, counter clockwise seen from the front
    # @param holes [Array<Array>] corners of the holes
    # @return [Array<Array(Integer, Integer, Integer)>] indices into outer and then the holes in order
    def triangles(outer, holes = [])
      outer = outer.map { |corner| Coordinates.of(corner) }
      return [[0, 1, 2]] if outer.size == 3 && holes.empty?

      holes = holes.map { |hole| hole.map { |corner| Coordinates.of(corner) } }
      axes = plane_axes(outer)
      loops = [outer, *holes].map { |points| points.map { |point| flat(point, axes) } }
      return fan(outer.size) if holes.empty? && convex?(loops.first)

      EarClipping.new(loops).triangles
    end

    # The two coordinates to keep, in the order that leaves the polygon counter clockwise.
    def plane_axes(points)
      x, y, z = Coordinates.area_vector(points)
      case [x.abs, y.abs, z.abs].max
      when z.abs then z.negative? ? [1, 0] : [0, 1]
      when x.abs then x.negative? ? [2, 1] : [1, 2]
      else y.negative? ? [0, 2] : [2, 0]
      end
    end

    def flat(point, axes)
      [point[axes[0]], point[axes[1]]]
    end

    def fan(size)
      (1..(size - 2)).map { |corner| [0, corner, corner + 1] }
    end

    # True for a polygon that turns left, and clearly so, at every corner, once around.
    def convex?(points)
      turns = points.each_index.all? do |index|
        turn(points[index - 2], points[index - 1], points[index]) > 1e-12
      end
      turns && points.each_index.count do |index|
        points[index - 1][0] <= points[index][0] && points[index - 2][0] > points[index - 1][0]
      end <= 1
    end

    # Twice the signed area of a triangle.
    def turn(a, b, c)
      ((b[0] - a[0]) * (c[1] - a[1])) - ((b[1] - a[1]) * (c[0] - a[0]))
    end
  end
end

require 'geom/ear_clipping'
