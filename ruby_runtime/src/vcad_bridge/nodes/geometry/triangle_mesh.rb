# frozen_string_literal: true

require_relative '../../calls/failure'
require_relative '../../model/millimetres'

module Vcad
  module Bridge
    module Nodes
      # A part as triangles, for hosts without an importer: flat positions in millimetres and vertex indices.
      class TriangleMesh
        # The host merges points that are closer than this.
        MERGING = 0.001 # inch

        # @param arguments [Arguments] `positions` and `indices`; raises INVALID_PARAMS
        def self.read(arguments)
          positions = arguments.numbers('positions')
          indices = arguments.integers('indices')
          arguments.refuse('positions', 'three numbers for each point') unless (positions.length % 3).zero?
          arguments.refuse('indices', 'three indices for each triangle') unless (indices.length % 3).zero?
          points = positions.length / 3
          inside = indices.all? { |index| index >= 0 && index < points }
          arguments.refuse('indices', "indices of the #{points} points, from 0") unless inside
          new(positions, indices)
        end

        def initialize(positions, indices)
          @positions = positions
          @triangles = indices.each_slice(3).to_a
        end

        # @return [Boolean] each edge occurs once in each direction
        def closed?
          edges = @triangles.flat_map { |a, b, c| [[a, b], [b, c], [c, a]] }
          counts = edges.tally
          !edges.empty? && counts.all? { |(from, to), count| count == 1 && counts[[to, from]] == 1 }
        end

        # Adds faces to an empty definition, inside the caller's operation.
        # Triangles that collapse by the host's merging of close points are left out.
        def build(definition)
          points = @positions.each_slice(3).map { |coordinates| Millimetres.to_point(coordinates) }
          definition.entities.build do |builder|
            @triangles.each do |corners|
              triangle = points.values_at(*corners)
              add(builder, triangle) if open?(triangle)
            end
          end
        end

        private

        # A triangle can still collapse onto points of its neighbours: then it is left out as well.
        def add(builder, triangle)
          builder.add_face(triangle)
        rescue ArgumentError
          nil
        end

        # @return [Boolean] the corners are apart and not in one line
        def open?(triangle)
          a, b, c = triangle
          if a.distance(b).to_f < MERGING || b.distance(c).to_f < MERGING || c.distance(a).to_f < MERGING
            return false
          end

          height = a.vector_to(b).cross(a.vector_to(c)).length.to_f
          longest = [a.distance(b).to_f, b.distance(c).to_f, c.distance(a).to_f].max
          height / longest >= MERGING
        end
      end
    end
  end
end
