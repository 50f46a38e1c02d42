# frozen_string_literal: true

module Vcad
  module Bridge
    module Tools
      module General
        # Entities as rows of listings. Lengths in inches.
        module EntityRows
          class << self
            # @param layers [Boolean] with the layer's name; selections go without
            # @param normals [Boolean] with a face's normal
            # @return [Hash]
            def row(entity, layers: true, normals: false)
              row = { 'type' => entity.typename, 'entity_id' => entity.entityID }.merge(own_fields(entity))
              row['normal'] = entity.normal.to_a.map(&:to_f) if normals && entity.is_a?(Sketchup::Face)
              row['layer'] = entity.layer&.name if layers && entity.respond_to?(:layer)
              row
            end

            # @return [String] lower case without separators, e.g. "componentinstance"
            def resource_type(entity)
              entity.typename.downcase.delete(' _')
            end

            private

            def own_fields(entity)
              case entity
              when Sketchup::Group
                { 'name' => entity.name.empty? ? '(unnamed)' : entity.name }
              when Sketchup::ComponentInstance then instance_fields(entity)
              when Sketchup::Face then { 'area' => entity.area.to_f }
              when Sketchup::Edge then { 'length' => entity.length.to_f }
              else {}
              end
            end

            def instance_fields(instance)
              { 'name' => instance.definition.name, 'instance_name' => instance.name,
                'persistent_id' => instance.persistent_id, 'definition_id' => instance.definition.entityID }
            end
          end
        end
      end
    end
  end
end
