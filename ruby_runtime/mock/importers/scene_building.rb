# frozen_string_literal: true

module Headless
  module Importers
    # Puts a scene into a new definition, in one of the structures that hosts have been seen to make.
    class SceneBuilding
      # @param model [Sketchup::Model]
      # @param scene [ColladaScene]
      # @param structure [String] flat, wrapped or multi
      # @param merge_coplanar [Boolean]
      def initialize(model, scene, structure:, merge_coplanar:)
        @model = model
        @scene = scene
        @structure = structure
        @merge_coplanar = merge_coplanar
        @materials = {}
      end

      # @param definition [Sketchup::ComponentDefinition] an empty one
      # @param nodes [Array<SceneNode>]
      # @return [void]
      def fill(definition, nodes)
        case @structure
        when 'wrapped' then wrapped(definition, nodes)
        when 'multi' then nodes.each { |node| component(definition.entities, node) }
        else build(definition.entities, baked(nodes, to_inches))
        end
      end

      private

      # From the file's coordinates to inches, Z up.
      def to_inches
        @to_inches ||= Axes.matrix(@scene.axes.map do |axis|
                                     axis.map do |v|
                                       v * @scene.scale
                                     end
                                   end, [0.0, 0.0, 0.0])
      end

      # The unit conversion stays outside, as the scale of one group.
      def wrapped(definition, nodes)
        group = definition.entities.add_group
        turned = Axes.matrix(@scene.axes, [0.0, 0.0, 0.0])
        build(group.entities, baked(nodes, turned), tolerance: Units::TOLERANCE / @scene.scale)
        group.transformation = Geom::Transformation.scaling(@scene.scale)
      end

      # One component per node, in the node's own coordinates.
      def component(entities, node)
        return if node.empty?

        definition = @model.definitions.headless_add(node.name || 'node', events: false)
        own = node.surfaces.reduce(Surface.empty) { |all, surface| all.add(surface, to_inches) }
        build(definition.entities, own) unless own.empty?
        node.children.each { |child| component(definition.entities, child) }
        placed = Coordinates.product(Coordinates.product(to_inches, node.matrix), Inversion.of(to_inches))
        entities.add_instance(definition, Coordinates.transformation(placed))
      end

      def baked(nodes, matrix, all = Surface.empty)
        nodes.each do |node|
          place = Coordinates.product(matrix, node.matrix)
          node.surfaces.each { |surface| all.add(surface, place) }
          baked(node.children, place, all)
        end
        all
      end

      def build(entities, surface, tolerance: Units::TOLERANCE)
        materials = surface.materials.uniq.compact.to_h { |id| [id, material(id)] }
        building = SurfaceBuilding.new(surface, merge_coplanar: @merge_coplanar, tolerance: tolerance)
        building.build(entities, materials)
      end

      # @return [Sketchup::Material, nil] one of that name and look when the model has it
      def material(id)
        return @materials[id] if @materials.key?(id)

        wanted = @scene.material(id)
        @materials[id] = wanted && (existing(wanted) || added(wanted))
      end

      def existing(wanted)
        material = @model.materials[wanted.name]
        material if material && same_look?(material, wanted)
      end

      def same_look?(material, wanted)
        color = material.color
        (wanted.color.nil? || wanted.color == [color.red, color.green, color.blue]) &&
          (material.alpha - wanted.alpha).abs < 1e-3
      end

      def added(wanted)
        material = @model.materials.add(wanted.name)
        material.color = Sketchup::Color.new(*wanted.color) if wanted.color
        material.alpha = wanted.alpha if wanted.alpha < 1
        material
      end
    end
  end
end
