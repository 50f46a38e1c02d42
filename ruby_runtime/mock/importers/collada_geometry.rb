# frozen_string_literal: true

module Headless
  module Importers
    # Reads one COLLADA geometry: polygons with normals, per material symbol.
    class ColladaGeometry
      class Broken < StandardError
      end

      PRIMITIVES = %w[triangles polylist polygons].freeze
      AXES = %w[X Y Z].freeze

      # @param element [XmlElement] `geometry`
      # @return [Surface] in file units, with material symbols as marks
      # @raise [Broken] when indices or numbers make no sense
      def self.read(element)
        new(element).surface
      end

      def initialize(element)
        @mesh = element.at('mesh')
        @sources = {}
      end

      def surface
        result = Surface.empty
        return result if @mesh.nil?

        places = {}.compare_by_identity
        @mesh.all(*PRIMITIVES).each do |primitive|
          part = read_primitive(primitive, inputs_of(primitive))
          result.add_polygons(part, place(places, part.positions, result.positions),
                              place(places, part.normals, result.normals))
        end
        result
      end

      private

      # Where a source begins in the result; primitives of a mesh nearly always share theirs.
      def place(places, source, all)
        places[source] ||= begin
          first = all.size
          all.concat(source)
          first
        end
      end

      # Offsets of the inputs that matter, and the stride of the index list.
      def inputs_of(primitive)
        inputs = { stride: 1 }
        primitive.all('input').each do |input|
          offset = input['offset'].to_i
          raise Broken, "offset #{offset}" if offset.negative?

          inputs[:stride] = [inputs[:stride], offset + 1].max
          case input['semantic']
          when 'VERTEX' then read_vertices(inputs, offset, input['source'])
          when 'NORMAL' then inputs.update(normal: offset, normals: triples(input['source']))
          end
        end
        raise Broken, 'primitive without vertices' unless inputs[:positions]

        inputs
      end

      def read_vertices(inputs, offset, reference)
        inputs[:vertex] = offset
        vertices = @mesh.all('vertices').find { |element| element['id'] == local(reference) }
        raise Broken, "no vertices #{reference}" if vertices.nil?

        vertices.all('input').each do |input|
          case input['semantic']
          when 'POSITION' then inputs[:positions] = triples(input['source'])
          when 'NORMAL' then inputs.update(normal: offset, normals: triples(input['source']))
          end
        end
      end

      def local(reference)
        reference.to_s.delete_prefix('#')
      end

      # A source of vectors, read once.
      def triples(reference)
        @sources[local(reference)] ||= read_source(local(reference))
      end

      def read_source(id)
        source = @mesh.all('source').find { |element| element['id'] == id }
        array = source&.at('float_array')
        raise Broken, "no float source #{id}" if array.nil?

        rows(NumberLists.floats(array.text), source.at('technique_common', 'accessor'))
      rescue ArgumentError
        raise Broken, "numbers of source #{id}"
      end

      def rows(numbers, accessor)
        return numbers.each_slice(3).select { |row| row.size == 3 } if accessor.nil?

        stride = (accessor['stride'] || 3).to_i
        places = axis_places(accessor)
        numbers = numbers.drop(accessor['offset'].to_i)
        return numbers.each_slice(3).select { |row| row.size == 3 } if stride == 3 && places == [0, 1, 2]

        numbers.each_slice(stride).map { |row| row.values_at(*places).map(&:to_f) }
      end

      def axis_places(accessor)
        names = accessor.all('param').map { |param| param['name'] }
        AXES.all? { |axis| names.include?(axis) } ? AXES.map { |axis| names.index(axis) } : [0, 1, 2]
      end

      def read_primitive(primitive, inputs)
        part = Surface.empty
        part.positions = inputs[:positions]
        part.normals = inputs[:normals] || []
        case primitive.name
        when 'triangles' then add_loops(part, inputs, whole(primitive.at('p')), 3)
        when 'polylist' then add_loops(part, inputs, whole(primitive.at('p')), whole(primitive.at('vcount')))
        else add_polygon_elements(part, inputs, primitive)
        end
        part.materials = Array.new(part.polygons.size, primitive['material'])
        part
      end

      def whole(element)
        NumberLists.integers(element ? element.text : '')
      rescue ArgumentError
        raise Broken, 'index that is no integer'
      end

      # @param sizes [Integer, Array<Integer>] corners per polygon
      def add_loops(part, inputs, list, sizes)
        read = lambda do |offset, limit|
          indices = column(list, inputs[:stride], offset)
          check(indices, limit)
          cut(indices, sizes)
        end
        part.polygons.concat(read.call(inputs[:vertex], part.positions.size))
        normals = read.call(inputs[:normal], part.normals.size) if inputs[:normal]
        part.corner_normals.concat(normals || Array.new(part.polygons.size - part.corner_normals.size))
      end

      def column(list, stride, offset)
        return list if stride == 1

        Array.new(list.size / stride) { |row| list[(row * stride) + offset] }
      end

      def cut(list, sizes)
        return Array.new(list.size / sizes) { |place| list[place * sizes, sizes] } if sizes.is_a?(Integer)
        raise Broken, 'vcount and p do not fit' unless sizes.sum == list.size

        first = 0
        sizes.map do |size|
          first += size
          list[first - size, size]
        end
      end

      def check(indices, size)
        return if indices.empty?

        low, high = indices.minmax
        raise Broken, "index #{high} of #{size}" if low.negative? || high >= size
      end

      def add_polygon_elements(part, inputs, primitive)
        primitive.all('p', 'ph').each do |element|
          outer = element.name == 'p' ? element : element.at('p')
          list = whole(outer)
          next if list.size < 3 * inputs[:stride]

          add_loops(part, inputs, list, list.size / inputs[:stride])
          holes = element.all('h').map { |hole| column(whole(hole), inputs[:stride], inputs[:vertex]) }
          holes.each { |hole| check(hole, part.positions.size) }
          part.holes[part.polygons.size - 1] = holes unless holes.empty?
        end
      end
    end
  end
end
