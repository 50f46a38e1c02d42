# frozen_string_literal: true

module Vcad
  module Bridge
    module Nodes
      # Tight bounds of an entity seen from another coordinate system: of its points, not of a turned box.
      class Extent
        # @param transformation [Geom::Transformation] from the entity's surroundings to the wanted
        #   coordinates
        # @return [Geom::BoundingBox]
        def self.of(entity, transformation)
          box = Geom::BoundingBox.new
          new(box).add(entity, transformation)
          box
        end

        def initialize(box)
          @box = box
        end

        def add(entity, transformation)
          if entity.respond_to?(:definition)
            add_all(entity.definition.entities, transformation * entity.transformation)
          elsif entity.respond_to?(:vertices)
            entity.vertices.each { |vertex| @box.add(vertex.position.transform(transformation)) }
          else
            8.times { |corner| @box.add(entity.bounds.corner(corner).transform(transformation)) }
          end
        end

        # Faces have no point that their edges lack.
        def add_all(entities, transformation)
          entities.each { |entity| add(entity, transformation) unless entity.is_a?(Sketchup::Face) }
        end
      end
    end
  end
end
