# frozen_string_literal: true

module Headless
  module TestControl
    # Putting things into the model, as a person would have.
    module Building
      def add_definition(arguments)
        as_one_step('Make Component') do
          made = model.definitions.add(arguments['name'] || 'Component')
          fill(made.entities, arguments)
          write(made, arguments['attributes'])
          identity(made).merge('name' => made.name)
        end
      end

      def add_instance(arguments)
        as_one_step('Place Component') do
          made = entities_of(arguments).add_instance(definition(arguments), placement(arguments))
          describe_as(made, arguments)
          identity(made).merge('definition_name' => made.definition.name)
        end
      end

      def add_entity(arguments)
        type = arguments['type']
        as_one_step("Draw #{type}") do
          made = case type
                 when 'face' then entities_of(arguments).add_face(*outline(arguments))
                 when 'edge' then entities_of(arguments).add_line(*ends(arguments))
                 when 'group' then group(arguments)
                 else raise ArgumentError, 'type is face, edge or group'
                 end
          identity(made).merge('type' => type)
        end
      end

      private

      def fill(entities, arguments)
        box(entities, arguments['box_mm']) if arguments['box_mm']
        mesh(entities, arguments['mesh']) if arguments['mesh']
      end

      # A closed box from the origin.
      def box(entities, size)
        sides = Millimetres.point(size).to_a.map(&:to_f)
        raise ArgumentError, 'box_mm is three positive numbers' unless sides.all?(&:positive?)

        corners = UNIT_CORNERS.map { |at| Geom::Point3d.new(*at.zip(sides).map { |far, side| far * side }) }
        entities.build do |builder|
          BOX_FACES.each { |indices| builder.add_face(indices.map { |index| corners[index] }) }
        end
      end

      UNIT_CORNERS = [0, 1].product([0, 1], [0, 1]).freeze
      # Corners are numbered 4x + 2y + z; counter clockwise seen from outside.
      BOX_FACES = [[0, 2, 6, 4], [1, 5, 7, 3], [0, 4, 5, 1], [2, 3, 7, 6], [0, 1, 3, 2], [4, 6, 7, 5]].freeze
      private_constant :BOX_FACES, :UNIT_CORNERS

      def mesh(entities, mesh)
        points = mesh['positions'].each_slice(3).map { |values| Millimetres.point(values) }
        entities.build do |builder|
          mesh['indices'].each_slice(3) { |corners| builder.add_face(points.values_at(*corners)) }
        end
      end

      def group(arguments)
        made = entities_of(arguments).add_group
        fill(made.entities, arguments)
        describe_as(made, arguments)
        made.transformation = placement(arguments)
        made
      end

      def placement(arguments)
        return Millimetres.transformation(arguments['transformation']) if arguments['transformation']

        Geom::Transformation.new(Millimetres.point(arguments['position'] || [0, 0, 0]))
      end

      def describe_as(made, arguments)
        made.name = arguments['name'] if arguments['name']
        made.layer = model.layers.add(arguments['layer']) if arguments['layer']
        made.material = material(arguments['material']) if arguments['material']
        write(made, arguments['attributes'])
        made.locked = true if arguments['locked']
      end

      def material(name)
        model.materials[name] || model.materials.add(name)
      end

      def write(entity, attributes)
        (attributes || {}).each do |dictionary, values|
          values.each { |key, value| entity.set_attribute(dictionary, key, value) }
        end
      end

      # `points` in mm, or a square of `area` mm².
      def outline(arguments)
        return arguments['points'].map { |values| Millimetres.point(values) } if arguments['points']

        side = Math.sqrt(arguments['area'] || 100.0)
        [[0, 0, 0], [side, 0, 0], [side, side, 0], [0, side, 0]].map { |values| Millimetres.point(values) }
      end

      # `points` in mm, or `length` mm along x.
      def ends(arguments)
        (arguments['points'] || [[0, 0, 0], [arguments['length'] || 100.0, 0, 0]]).map do |values|
          Millimetres.point(values)
        end
      end
    end
  end
end
