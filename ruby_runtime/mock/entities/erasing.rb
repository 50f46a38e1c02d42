# frozen_string_literal: true

module Headless
  # Deleting elements with all that cannot stay without them.
  module Erasing
    module_function

    # @param elements [Array<Sketchup::Entity>] of this collection
    # @raise [ArgumentError] for something on the path that is being edited, or of another collection
    def erase(entities, elements)
      elements.each { |element| check(entities, element) }
      elements = elements.uniq.reject { |element| Locking.refused?(element) }
      return if elements.empty?

      remove(entities, elements)
    end

    # Without asking for locks, as when a definition goes.
    def remove(entities, elements)
      elements = with_dependents(elements)
      entities.headless_model.headless_journal.step('Erase') do
        entities.model.selection.headless_forget(elements)
        entities.headless_remove(elements, lonely_vertices(elements))
      end
    end

    # The whole contents of a definition that goes.
    def empty(entities)
      elements = entities.to_a
      return if elements.empty?

      entities.model.selection.headless_forget(elements)
      entities.headless_remove(elements, entities.headless_vertices)
    end

    def check(entities, element)
      Guard.refuse(element) if element.deleted?
      unless element.is_a?(Sketchup::Drawingelement) && element.headless_owner.equal?(entities)
        raise ArgumentError, 'only entities of this collection can be erased from it'
      end
      return unless entities.model.headless_edit_path.include?(element)

      raise ArgumentError, 'an entity on the active path cannot be erased'
    end

    # A face cannot stay without one of its edges.
    def with_dependents(elements)
      faces = elements.grep(Sketchup::Edge).flat_map(&:headless_faces)
      faces.empty? ? elements : (faces + elements).uniq
    end

    # Vertices that lose their last edge.
    def lonely_vertices(elements)
      edges = elements.grep(Sketchup::Edge)
      return [] if edges.empty?

      gone = {}.compare_by_identity
      edges.each { |edge| gone[edge] = true }
      vertices = edges.flat_map { |edge| [edge.headless_start, edge.headless_end] }.uniq
      vertices.select { |vertex| vertex.headless_edges.all? { |edge| gone.key?(edge) } }
    end
  end

  # What a lock prevents, in the mode that is configured.
  module Locking
    # Raised in lock mode 'raise'.
    class LockedError < RuntimeError
    end

    module_function

    # @return [Boolean] whether the change must not be made
    # @raise [LockedError] in the mode that says so
    def refused?(element)
      return false unless element.is_a?(Placed) && element.headless_locked?
      raise LockedError, 'the entity is locked' if Headless.configuration.lock_mode == 'raise'

      true
    end
  end

  # Moving elements within their collection.
  module Moving
    module_function

    # @return [Boolean] true
    def transform(entities, transformation, elements)
      raise ArgumentError, 'a Transformation is needed' unless transformation.is_a?(Geom::Transformation)

      matrix = Coordinates.matrix(transformation)
      entities.headless_model.headless_journal.step('Move') do
        placed, flat = elements.partition { |element| element.is_a?(Placed) }
        placed.each { |instance| instance.transform!(transformation) }
        move(entities, vertices_of(flat)) { |vertex| Coordinates.transform(matrix, vertex.headless_xyz) }
      end
      true
    end

    # @return [Boolean] true
    # @raise [ArgumentError] when there are not as many vectors as elements
    def by_vectors(entities, elements, vectors)
      raise ArgumentError, 'one vector is needed for each entity' unless elements.size == vectors.size

      offsets = {}.compare_by_identity
      elements.zip(vectors) do |element, vector|
        vertices_of([element]).each { |vertex| offsets[vertex] = Coordinates.of(vector) }
      end
      entities.headless_model.headless_journal.step('Move') do
        move(entities, offsets.keys) { |vertex| vertex.headless_xyz.zip(offsets[vertex]).map(&:sum) }
      end
      true
    end

    def vertices_of(elements)
      elements.flat_map { |element| element.is_a?(Sketchup::Vertex) ? [element] : element.vertices }.uniq
    end

    # The block gives the new place of a vertex.
    def move(entities, vertices, &block)
      return if vertices.empty?

      before = vertices.map(&:headless_xyz)
      after = vertices.map(&block)
      place = lambda do |points|
        vertices.zip(points) { |vertex, xyz| vertex.headless_xyz = xyz }
        entities.headless_forget_sewing
      end
      events = vertices.flat_map(&:headless_edges).uniq.map { |edge| [:element_modified, entities, edge] }
      entities.headless_model.headless_journal.change(
        undo: -> { place.call(before) }, redo: -> { place.call(after) }, events: events, touching: entities
      )
    end
  end
end
