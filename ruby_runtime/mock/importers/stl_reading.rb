# frozen_string_literal: true

module Headless
  module Importers
    # Reads STL, binary or text. It has neither units nor shared points nor smooth normals.
    module StlReading
      HEADER = 84
      RECORD = 50
      VERTEX = /vertex\s+(\S+)\s+(\S+)\s+(\S+)/

      module_function

      # @param path [String]
      # @param scale [Float] inches in one unit of the file
      # @return [Surface] in inches; empty when nothing can be read
      def surface(path, scale)
        data = File.binread(path)
        numbers = binary?(data) ? binary(data) : text(data)
        return Surface.empty if numbers.empty? || !numbers.sum.finite?

        triangles(numbers.map { |value| value * scale }.each_slice(3).to_a)
      end

      def triangles(positions)
        polygons = (0...positions.size).each_slice(3).select { |corners| corners.size == 3 }
        Surface.new(positions: positions, polygons: polygons, holes: {}, normals: [],
                    corner_normals: Array.new(polygons.size), materials: Array.new(polygons.size))
      end

      # The size decides; a text may begin with anything, a binary header with `solid`.
      def binary?(data)
        data.bytesize >= HEADER && data.bytesize == HEADER + (RECORD * data.unpack1('@80V'))
      end

      def binary(data)
        count = data.unpack1('@80V')
        Array.new(count) { |index| data.unpack("@#{HEADER + (RECORD * index) + 12}e9") }.flatten(1)
      end

      def text(data)
        data.scan(VERTEX).flatten(1).map { |word| Float(word) }
      rescue ArgumentError
        []
      end
    end
  end
end
