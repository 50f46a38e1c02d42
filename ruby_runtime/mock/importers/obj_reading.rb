# frozen_string_literal: true

module Headless
  module Importers
    # Reads the points, normals and faces of an OBJ file. The host has no such importer; this serves
    # old fixtures only.
    module ObjReading
      module_function

      # @param path [String]
      # @param scale [Float] inches in one unit of the file
      # @return [Surface] in inches; empty when nothing can be read
      def surface(path, scale)
        result = Surface.empty
        File.foreach(path, encoding: 'UTF-8') { |line| read_line(result, line.scrub.split, scale) }
        if result.polygons.flatten.all? do |index|
          index.between?(0, result.positions.size - 1)
        end
          result
        else
          Surface.empty
        end
      rescue ArgumentError, TypeError
        Surface.empty
      end

      def read_line(result, words, scale)
        case words.first
        when 'v' then result.positions << words[1, 3].map { |word| Float(word) * scale }
        when 'vn' then result.normals << words[1, 3].map { |word| Float(word) }
        when 'f' then read_face(result, words.drop(1).map { |word| word.split('/') })
        end
      end

      def read_face(result, corners)
        result.polygons << corners.map { |fields| place(fields[0], result.positions.size) }
        with_normals = corners.all? { |fields| fields[2] }
        result.corner_normals << (if with_normals
                                    corners.map do |fields|
                                      place(fields[2], result.normals.size)
                                    end
                                  end)
        result.materials << nil
      end

      # Counted from 1, or back from the last.
      def place(word, size)
        index = Integer(word)
        index.negative? ? size + index : index - 1
      end
    end
  end
end
