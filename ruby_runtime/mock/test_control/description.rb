# frozen_string_literal: true

module Headless
  module TestControl
    # An entity as plain values.
    module Description
      TYPES = { 'ComponentInstance' => 'component' }.freeze

      module_function

      # @param entity [Sketchup::Entity]
      # @return [Hash]
      def of(entity)
        return { 'valid' => false } unless entity.valid?

        { 'entity_id' => entity.entityID, 'persistent_id' => entity.persistent_id, 'valid' => true,
          'type' => type(entity), 'attributes' => attributes(entity), 'parent_id' => parent_id(entity) }
          .merge(drawn(entity)).merge(placed(entity)).merge(defined(entity))
      end

      def type(entity)
        TYPES.fetch(entity.typename, entity.typename.downcase)
      end

      # @return [Hash] dictionary to key to value
      def attributes(entity)
        (entity.attribute_dictionaries || []).to_h { |one| [one.name, values(one)] }
      end

      def values(dictionary)
        dictionary.keys.sort.to_h { |key| [key, plain(dictionary[key])] }
      end

      def plain(value)
        case value
        when Array then value.map { |one| plain(one) }
        when Length, Float then value.to_f
        when String, Integer, true, false, nil then value
        when Geom::Point3d, Geom::Vector3d then value.to_a.map(&:to_f)
        else value.to_s
        end
      end

      def drawn(entity)
        return {} unless entity.is_a?(Sketchup::Drawingelement)

        shown = { 'visible' => entity.visible?, 'bounds_mm' => Millimetres.bounds(entity.bounds) }
        return shown if entity.is_a?(Sketchup::ComponentDefinition)

        shown.merge('layer' => entity.layer.name, 'material' => entity.material&.name)
      end

      def placed(entity)
        return {} unless entity.respond_to?(:transformation) && entity.respond_to?(:locked?)

        { 'name' => entity.name, 'definition_name' => entity.definition.name, 'locked' => entity.locked?,
          'definition_persistent_id' => entity.definition.persistent_id,
          'transformation_mm' => Millimetres.matrix(entity.transformation), 'manifold' => entity.manifold? }
      end

      def defined(entity)
        return {} unless entity.is_a?(Sketchup::ComponentDefinition)

        { 'name' => entity.name, 'instances_count' => entity.instances.size, 'guid' => entity.guid,
          'faces' => entity.entities.grep(Sketchup::Face).size,
          'edges' => entity.entities.grep(Sketchup::Edge).size }
      end

      def parent_id(entity)
        parent = entity.parent
        parent.is_a?(Sketchup::ComponentDefinition) ? parent.entityID : nil
      end
    end
  end
end
