# frozen_string_literal: true

require_relative '../../model/millimetres'
require_relative '../../nodes/metadata'
require_relative '../../nodes/rows'
require_relative 'entity_rows'

module Vcad
  module Bridge
    module Tools
      module General
        # Everything worth knowing about one entity. Lengths in millimetres, and named so.
        module EntityDetail
          FLAGS = { 'visible' => :visible?, 'locked' => :locked?, 'casts_shadows' => :casts_shadows?,
                    'receives_shadows' => :receives_shadows?, 'manifold' => :manifold?, 'soft' => :soft?,
                    'smooth' => :smooth? }.freeze

          class << self
            # @return [Hash]
            def of(entity)
              row = EntityRows.row(entity, layers: false, normals: true)
              row.merge('persistent_id' => entity.persistent_id, 'name' => row['name'] || name(entity),
                        'layer' => name_of(entity, :layer), 'material' => name_of(entity, :material),
                        'flags' => flags(entity), 'parent_id' => parent_id(entity),
                        'attributes' => attributes(entity)).merge(extent(entity), placement(entity))
            end

            private

            def name(entity)
              entity.respond_to?(:name) ? entity.name : nil
            end

            def name_of(entity, property)
              entity.respond_to?(property) ? entity.public_send(property)&.name : nil
            end

            def flags(entity)
              FLAGS.select { |_, method| entity.respond_to?(method) }
                   .transform_values { |method| entity.public_send(method) ? true : false }
            end

            def parent_id(entity)
              parent = entity.parent
              parent.is_a?(Sketchup::ComponentDefinition) ? parent.entityID : nil
            end

            def extent(entity)
              return { 'bounds_mm' => nil, 'dims_mm' => nil } unless entity.respond_to?(:bounds)

              box = Millimetres.bounds(entity.bounds)
              dims = box && box['max'].zip(box['min']).map { |high, low| high - low }
              { 'bounds_mm' => box,
                'dims_mm' => dims && { 'width' => dims[0], 'height' => dims[1], 'depth' => dims[2] } }
            end

            def placement(entity)
              unless entity.respond_to?(:definition)
                return { 'transformation_mm' => nil, 'definition' => nil }
              end

              { 'transformation_mm' => Nodes::Rows.matrix(entity),
                'definition' => definition(entity.definition) }
            end

            def definition(definition)
              { 'name' => definition.name, 'entity_id' => definition.entityID,
                'persistent_id' => definition.persistent_id, 'instances' => definition.instances.length,
                'vcad_node_id' => Nodes::Metadata.node_id(definition),
                'bounds_mm' => Millimetres.bounds(definition.bounds), 'attributes' => attributes(definition) }
            end

            def attributes(entity)
              (entity.attribute_dictionaries || []).to_a.to_h do |dictionary|
                pairs = []
                dictionary.each_pair { |key, value| pairs << [key.to_s, plain(value)] }
                [dictionary.name, pairs.to_h]
              end
            end

            # Attributes may hold lengths, points, times and arrays of those.
            def plain(value)
              case value
              when Length then { 'length_mm' => Millimetres.from_inches(value) }
              when nil, true, false, String, Integer then value
              when Float then value.finite? ? value : nil
              when Array then value.map { |inner| plain(inner) }
              when Geom::Point3d, Geom::Vector3d then value.to_a.map(&:to_f)
              else value.to_s
              end
            end
          end
        end
      end
    end
  end
end
