# frozen_string_literal: true

module Headless
  module Importers
    # A node of a scene: its matrix to the node above, its surfaces, and the nodes below. Marks of
    # surfaces are COLLADA material ids.
    SceneNode = Struct.new(:name, :matrix, :surfaces, :children, keyword_init: true) do
      def empty?
        surfaces.all?(&:empty?) && children.all?(&:empty?)
      end
    end

    # Diffuse colour 0..255 and opacity 0..1 of a material.
    SceneMaterial = Struct.new(:name, :color, :alpha, keyword_init: true)

    # Reads a COLLADA document: unit, axes, materials and the tree of nodes.
    class ColladaScene
      # COLLADA's unit when a file names none.
      DEFAULT_METER = 1.0
      # What takes a file's axes to Z up; columns of the turned X, Y and Z.
      UP_AXES = {
        'Z_UP' => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        'Y_UP' => [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]],
        'X_UP' => [[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]
      }.freeze
      # Deeper instances of library nodes are taken for a circle.
      NESTING_LIMIT = 64

      # @param text [String]
      # @raise [XmlDocument::Malformed, ColladaGeometry::Broken]
      def initialize(text)
        @root = XmlDocument.root(text)
        raise ColladaGeometry::Broken, "<#{@root.name}> instead of <COLLADA>" unless @root.name == 'COLLADA'

        @by_id = {}
        @root.each_below { |element| @by_id[element['id']] ||= element if element['id'] }
        @surfaces = {}
      end

      # @return [Float] inches in one unit of the file
      def scale
        meter = @root.at('asset', 'unit')&.[]('meter')
        value = meter ? Float(meter, exception: false) : DEFAULT_METER
        raise ColladaGeometry::Broken, "unit of #{meter} m" unless value&.positive? && value&.finite?

        (value * 1000).round(9) / 25.4
      end

      # @return [Array] three columns that turn the file's axes to Z up
      def axes
        UP_AXES.fetch(@root.at('asset', 'up_axis')&.text.to_s.strip, UP_AXES['Y_UP'])
      end

      # @return [Array<SceneNode>] the roots of the scene; geometries alone when there is no scene
      def nodes
        reference = @root.at('scene', 'instance_visual_scene')&.[]('url')
        scene = reference ? find(reference) : @root.at('library_visual_scenes', 'visual_scene')
        return scene.all('node').map { |element| node(element, 0) } if scene

        (@root.at('library_geometries')&.all('geometry') || []).map do |geometry|
          SceneNode.new(name: geometry['name'], matrix: TransformationArguments::IDENTITY,
                        surfaces: [surface(geometry)], children: [])
        end
      end

      # @param id [String]
      # @return [SceneMaterial, nil]
      def material(id)
        element = @by_id[id]
        return nil unless element&.name == 'material'

        effect = find(element.at('instance_effect')&.[]('url'))
        technique = effect&.at('profile_COMMON', 'technique')&.children&.find { |child| child.at('diffuse') }
        color = numbers(technique&.at('diffuse', 'color'))
        SceneMaterial.new(name: element['name'] || id, color: color && rgb(color),
                          alpha: alpha(technique, color))
      end

      private

      def find(reference)
        @by_id[reference.to_s.delete_prefix('#')]
      end

      def node(element, depth)
        raise ColladaGeometry::Broken, 'nodes nest in a circle' if depth > NESTING_LIMIT

        below = element.all('node', 'instance_node').map do |child|
          target = child.name == 'node' ? child : find(child['url'])
          target && node(target, depth + 1)
        end
        SceneNode.new(name: element['name'] || element['id'], matrix: NodeMatrix.of(element),
                      surfaces: element.all('instance_geometry').filter_map do |instance|
                                  instance_surface(instance)
                                end,
                      children: below.compact)
      end

      def instance_surface(instance)
        geometry = find(instance['url'])
        return nil unless geometry&.name == 'geometry'

        bound = instance.at('bind_material', 'technique_common')&.all('instance_material') || []
        targets = bound.to_h { |entry| [entry['symbol'], entry['target'].to_s.delete_prefix('#')] }
        original = surface(geometry)
        copy = original.dup
        copy.materials = original.materials.map do |symbol|
          targets[symbol] || (symbol if @by_id.key?(symbol))
        end
        copy
      end

      def surface(geometry)
        @surfaces[geometry] ||= ColladaGeometry.read(geometry)
      end

      def numbers(element)
        element && element.text.split.map(&:to_f)
      end

      def rgb(color)
        color.first(3).map { |value| (value.clamp(0.0, 1.0) * 255).round }
      end

      def alpha(technique, color)
        transparency = numbers(technique&.at('transparency', 'float'))&.first
        transparent = technique&.at('transparent')
        return (color && color[3]) || 1.0 if transparency.nil? && transparent.nil?

        part = numbers(transparent&.at('color'))&.[](3) || 1.0
        (part * (transparency || 1.0)).clamp(0.0, 1.0)
      end
    end

    # The product of a node's transforms, in the order of the text.
    module NodeMatrix
      module_function

      # @return [Array<Float>] 16 numbers, column major
      def of(element)
        steps = element.all('matrix', 'translate', 'rotate', 'scale')
        steps.reduce(TransformationArguments::IDENTITY) do |matrix, step|
          Coordinates.product(matrix, single(step.name, NumberLists.floats(step.text)))
        end
      rescue ArgumentError, TypeError
        raise ColladaGeometry::Broken, 'numbers of a node'
      end

      # COLLADA writes matrices by rows.
      def by_columns(numbers)
        raise ArgumentError, 'a matrix without its last element' if numbers.size != 16 || numbers[15].zero?

        Array.new(16) { |place| numbers[((place % 4) * 4) + (place / 4)] }
      end

      def single(kind, numbers)
        case kind
        when 'matrix' then by_columns(numbers)
        when 'translate' then Axes.matrix(TransformationArguments::UNIT_AXES, numbers.first(3))
        when 'rotate' then Axes.rotation([0.0, 0.0, 0.0], numbers.first(3), Float(numbers[3]).degrees)
        else TransformationArguments.along_axes(numbers.first(3), [0.0, 0.0, 0.0])
        end
      end
    end
  end
end
