# frozen_string_literal: true

module Headless
  # Visits everything that can be seen in a model, with the place it stands at.
  class SceneWalk
    # entities: the collection; matrix: its 16 numbers to the world; material: what faces without one
    # of their own get; root: the entity in the model's root that it belongs to, nil for the root itself.
    Stop = Struct.new(:entities, :matrix, :material, :root, keyword_init: true)

    # @param model [Sketchup::Model]
    # @param only [Array<Sketchup::Drawingelement>, nil] visit these and what is in them, no others
    def initialize(model, only: nil)
      @model = model
      @only = only
    end

    # @yieldparam stop [Stop]
    def each(&block)
      path = isolated_path
      return each_in_path(path, &block) if path

      walk(@model.entities, TransformationArguments::IDENTITY, nil, nil, &block)
    end

    # @return [Array<Integer>] entity ids of what has faces or edges to show, as it stands in the root
    def shown_ids
      found = []
      each do |stop|
        drawn = stop.entities.headless_list.select { |element| drawing?(element) && drawn?(element, stop) }
        found.concat(stop.root ? [stop.root] * drawn.size.clamp(0, 1) : drawn)
      end
      found.map(&:entityID).uniq.sort
    end

    # Whether an element of a stop's collection is drawn.
    def drawn?(element, stop)
      return false if element.hidden? || !element.layer.visible?

      stop.root || @only.nil? || @only.include?(element)
    end

    private

    def drawing?(element)
      element.is_a?(Sketchup::Face) || (element.is_a?(Sketchup::Edge) && !element.headless_unseen?)
    end

    def walk(entities, matrix, material, root, &block)
      stop = Stop.new(entities: entities, matrix: matrix, material: material, root: root)
      block.call(stop)
      entities.headless_placed.each do |instance|
        next unless drawn?(instance, stop)

        inner = instance.headless_definition.headless_entities
        place = Coordinates.product(matrix, instance.headless_matrix)
        walk(inner, place, instance.material || material, root || instance, &block)
      end
    end

    # While something is open for editing, the rest may be hidden.
    def isolated_path
      path = @model.active_path
      path if path && !path.empty? && @model.rendering_options['InactiveHidden']
    end

    def each_in_path(path, &block)
      matrix = path.reduce(TransformationArguments::IDENTITY) do |all, step|
        Coordinates.product(all, step.headless_matrix)
      end
      material = path.map(&:material).compact.last
      walk(path.last.headless_definition.headless_entities, matrix, material, path.first, &block)
    end
  end
end
