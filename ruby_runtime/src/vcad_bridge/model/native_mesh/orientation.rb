# frozen_string_literal: true

module Vcad
  module Bridge
    class NativeMesh
      # Turns triangles so that all face outward. In the host a solid may have faces with their back outside,
      # and a mirroring placement turns everything inside out.
      class Orientation
        # A direction that meets no edge by accident.
        RAY = [0.5377, 0.6423, 0.5461].freeze

        # @param points [Array<Array<Float>>]
        # @param triangles [Array<Array<Integer>>] of closed surfaces
        def initialize(points, triangles)
          @points = points
          @triangles = triangles
        end

        # @return [Array<Array<Integer>>]
        def outward
          shells = consistent_shells
          @boxes = {}.compare_by_identity
          shells.each { |shell| @boxes[shell] = box(shell) }
          shells.flat_map { |shell| volume(shell).negative? == void?(shell, shells) ? shell : turned(shell) }
        end

        # @return [Array<Float>] normal of a triangle, as long as twice its area
        def self.cross(first, second, third)
          u = second.zip(first).map { |a, b| a - b }
          v = third.zip(first).map { |a, b| a - b }
          [(u[1] * v[2]) - (u[2] * v[1]), (u[2] * v[0]) - (u[0] * v[2]), (u[0] * v[1]) - (u[1] * v[0])]
        end

        private

        # @return [Boolean] the shell is the wall of a void in another one
        def void?(shell, shells)
          point = @points[shell[0][0]]
          shells.count { |other| !other.equal?(shell) && near?(point, other) && inside?(point, other) }.odd?
        end

        # A look at the box spares the look at all triangles: a body may have thousands of shells.
        def near?(point, shell)
          low, high = @boxes[shell]
          low[0] <= point[0] && point[0] <= high[0] && low[1] <= point[1] && point[1] <= high[1] &&
            low[2] <= point[2] && point[2] <= high[2]
        end

        # @return [Array(Array<Float>, Array<Float>)] lowest and highest coordinates
        def box(shell)
          @points.values_at(*shell.flatten.uniq).transpose.map(&:minmax).transpose
        end

        def turned(shell)
          shell.map(&:reverse)
        end

        # @return [Array<Array<Array<Integer>>>] connected triangles, neighbours turned alike
        def consistent_shells
          neighbours = neighbours_by_edge
          turned = Array.new(@triangles.length)
          (0...@triangles.length).filter_map do |start|
            next if turned[start]

            turned[start] = @triangles[start]
            spread(start, turned, neighbours).map { |index| turned[index] }
          end
        end

        def spread(start, turned, neighbours)
          shell = [start]
          shell.each do |index|
            sides(turned[index]).each do |from, to|
              neighbours[[from, to].minmax].each do |other|
                next if turned[other]

                triangle = @triangles[other]
                turned[other] = sides(triangle).include?([from, to]) ? triangle.reverse : triangle
                shell << other
              end
            end
          end
        end

        def neighbours_by_edge
          @triangles.each_with_index.with_object(Hash.new do |edges, key|
                                                   edges[key] = []
                                                 end) do |(triangle, index), edges|
            sides(triangle).each { |side| edges[side.minmax] << index }
          end
        end

        def sides(triangle)
          [[triangle[0], triangle[1]], [triangle[1], triangle[2]], [triangle[2], triangle[0]]]
        end

        # @return [Float] six times the enclosed volume; negative when inside out
        def volume(shell)
          origin = @points[shell[0][0]]
          shell.sum do |triangle|
            corners = @points.values_at(*triangle).map { |point| point.zip(origin).map { |a, b| a - b } }
            dot(corners[0], self.class.cross([0.0, 0.0, 0.0], corners[1], corners[2]))
          end
        end

        def inside?(point, shell)
          shell.count { |triangle| met?(point, *@points.values_at(*triangle)) }.odd?
        end

        # Whether the ray from the point meets the triangle (Möller and Trumbore).
        def met?(point, first, second, third)
          u = minus(second, first)
          v = minus(third, first)
          across = product(RAY, v)
          determinant = dot(u, across)
          return false if determinant.zero?

          from = minus(point, first)
          along_u = dot(from, across) / determinant
          over = product(from, u)
          along_v = dot(RAY, over) / determinant
          along_u >= 0 && along_v >= 0 && along_u + along_v <= 1 && (dot(v, over) / determinant).positive?
        end

        def minus(first, second)
          [first[0] - second[0], first[1] - second[1], first[2] - second[2]]
        end

        def dot(first, second)
          (first[0] * second[0]) + (first[1] * second[1]) + (first[2] * second[2])
        end

        def product(first, second)
          [(first[1] * second[2]) - (first[2] * second[1]), (first[2] * second[0]) - (first[0] * second[2]),
           (first[0] * second[1]) - (first[1] * second[0])]
        end
      end
    end
  end
end
