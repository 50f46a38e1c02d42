# frozen_string_literal: true

module Headless
  module Dump
    # A model as plain values, read through the API's own methods.
    class Writing
      BEHAVIOR = %w[always_face_camera cuts_opening is2d no_scale_mask shadows_face_sun].freeze

      def initialize(model)
        @model = model
      end

      # @return [Hash]
      def contents
        { 'format' => FORMAT, 'name' => @model.name, 'description' => @model.description,
          'attributes' => Values.attributes(@model), 'options' => options,
          'layers' => rows(@model.layers) { |layer| layer(layer) },
          'materials' => rows(@model.materials) { |material| material(material) },
          'definitions' => rows(@model.definitions) { |definition| definition(definition) },
          'pages' => rows(@model.pages) { |page| { 'name' => page.name } },
          'entities' => entities(@model.entities) }
      end

      # The model that a component would be on its own.
      # @return [Hash]
      def contents_of(definition)
        contents.merge('name' => definition.name, 'description' => definition.description, 'pages' => [],
                       'attributes' => Values.attributes(definition),
                       'entities' => entities(definition.entities),
                       'definitions' => rows(used_by(definition)) { |one| definition(one) })
      end

      private

      def used_by(definition)
        direct = placed(definition.entities).map(&:definition).uniq
        (direct + direct.flat_map { |one| used_by(one) }).uniq
      end

      # One row for each, without what is empty, in the order of the persistent ids.
      def rows(things)
        things.sort_by(&:persistent_id).map do |thing|
          filled({ 'pid' => thing.persistent_id }.merge(yield(thing)))
        end
      end

      def filled(row)
        row.reject { |_, value| value.nil? || value == false || value == '' || value == {} }
      end

      def options
        @model.options.keys.sort.to_h do |name|
          provider = @model.options[name]
          [name, provider.keys.sort.to_h { |key| [key, Values.dump(provider[key])] }]
        end
      end

      def layer(layer)
        { 'name' => layer.name, 'hidden' => !layer.visible?, 'page_behavior' => layer.page_behavior,
          'color' => layer.color&.to_a, 'attributes' => Values.attributes(layer) }
      end

      def material(material)
        { 'name' => material.name, 'color' => material.color&.to_a, 'alpha' => material.alpha.to_f,
          'attributes' => Values.attributes(material) }
      end

      def definition(definition)
        { 'name' => definition.name, 'description' => definition.description, 'group' => definition.group?,
          'behavior' => behavior(definition.behavior), 'attributes' => Values.attributes(definition),
          'entities' => entities(definition.entities) }
      end

      def behavior(behavior)
        BEHAVIOR.to_h { |name| [name, read_flag(behavior, name)] }.select { |_, value| value && value != 0 }
      end

      def read_flag(behavior, name)
        behavior.public_send(behavior.respond_to?("#{name}?") ? "#{name}?" : name)
      end

      def entities(entities)
        edges = entities.grep(Sketchup::Edge)
        corners = edges.flat_map(&:vertices).uniq
        { 'vertices' => rows(corners) { |vertex| { 'at' => vertex.position.to_a.map(&:to_f) } },
          'edges' => rows(edges) { |edge| edge(edge) },
          'faces' => rows(entities.grep(Sketchup::Face)) { |face| face(face) },
          'points' => rows(entities.grep(Sketchup::ConstructionPoint)) { |point| construction_point(point) },
          'instances' => rows(placed(entities)) { |instance| instance(instance) } }
          .reject { |_, all| all.empty? }
      end

      def placed(entities)
        entities.select { |one| one.is_a?(Sketchup::ComponentInstance) || one.is_a?(Sketchup::Group) }
      end

      def edge(edge)
        drawn(edge).merge('ends' => edge.vertices.map(&:persistent_id), 'soft' => edge.soft?,
                          'smooth' => edge.smooth?)
      end

      def face(face)
        loops = [face.outer_loop, *(face.loops - [face.outer_loop])]
        drawn(face).merge('loops' => loops.map { |one| one.vertices.map(&:persistent_id) },
                          'back_material' => face.back_material&.name)
      end

      def construction_point(point)
        drawn(point).merge('at' => point.position.to_a.map(&:to_f))
      end

      def instance(instance)
        drawn(instance).merge('group' => instance.is_a?(Sketchup::Group), 'name' => instance.name,
                              'definition' => instance.definition.persistent_id, 'locked' => instance.locked?,
                              'transformation' => instance.transformation.to_a.map(&:to_f))
      end

      def drawn(element)
        { 'layer' => element.layer == @model.layers[0] ? nil : element.layer.name,
          'material' => element.material&.name, 'hidden' => element.hidden?,
          'no_shadow' => !element.casts_shadows?, 'no_shade' => !element.receives_shadows?,
          'attributes' => Values.attributes(element) }
      end
    end
  end
end
