# frozen_string_literal: true

module Headless
  # The inside of Sketchup::Entities: its list, what is remembered about it, and reversible adding and
  # removing.
  module EntitiesStore
    # The array itself.
    def headless_list
      @list
    end

    # @return [Sketchup::ComponentDefinition, nil] nil for the model's own
    def headless_definition
      @definition
    end

    def headless_deleted=(value)
      @deleted = value
    end

    # @return [Array<Sketchup::ComponentInstance, Sketchup::Group>]
    def headless_placed
      headless_remember(:placed) { @list.grep(Sketchup::ComponentInstance) + @list.grep(Sketchup::Group) }
    end

    # @return [Array<Sketchup::Vertex>]
    def headless_vertices
      headless_remember(:vertices) do
        found = {}.compare_by_identity
        @list.each do |element|
          next unless element.is_a?(Sketchup::Edge)

          found[element.headless_start] = true
          found[element.headless_end] = true
        end
        found.keys
      end
    end

    # @return [Array<Array(Float, Float, Float)>] of vertices and construction points
    def headless_own_points
      headless_remember(:points) do
        points = headless_vertices.map(&:headless_xyz)
        points.concat(@list.grep(Sketchup::ConstructionPoint).flat_map(&:headless_points))
      end
    end

    # Keeps what the block computes until something here, or in what is nested here, changes.
    def headless_remember(key)
      @remembered.fetch(key) { @remembered[key] = yield }
    end

    # Geometry changed: forget what was computed, here and wherever this is placed.
    # @param revision [Integer, nil] of the definition's geometry
    def headless_touched(revision)
      @definition.headless_revision = revision if @definition && revision
      headless_stale(@model.headless_next_tick)
    end

    def headless_stale(tick)
      return if @stamp == tick

      @stamp = tick
      @remembered = {}
      return unless @definition

      @definition.headless_instances.each { |instance| instance.headless_owner.headless_stale(tick) }
    end

    # @return [Array(Integer, Integer)] geometry revision before and after a change
    def headless_revisions(following)
      [@definition&.headless_revision, following]
    end

    # Points are elsewhere now: the next sewing starts from what is there.
    def headless_forget_sewing
      @sewing = nil
    end

    # @raise [MockMutationDuringIteration]
    def headless_refuse_while_walking
      return if @walking.zero?

      raise MockMutationDuringIteration,
            'a collection must not change while it is being walked: take .to_a first'
    end

    # Puts elements that were just made into the list.
    # @param vertices [Array<Sketchup::Vertex>] that came into being with them
    # @return [Array] the elements
    def headless_add(elements, vertices = [])
      headless_refuse_while_walking
      elements.each { |element| element.headless_deleted = true }
      @model.headless_journal.change(
        undo: -> { headless_take_back(elements, vertices) },
        redo: -> { headless_append(elements, vertices) },
        events: headless_adding_events(elements), touching: self
      )
      elements
    end

    def headless_add_single(name, element)
      @model.headless_journal.step(name) { headless_add([element]).first }
    end

    # A group that shares the definition of another one.
    # @return [Sketchup::Group]
    def headless_add_group(definition, transformation)
      headless_refuse_recursion(definition)
      headless_add_single('Make Group', Sketchup::Group.new(self, definition, transformation))
    end

    # Takes elements out, reversibly.
    # @param vertices [Array<Sketchup::Vertex>] that go with them
    def headless_remove(elements, vertices = [])
      headless_refuse_while_walking
      before = @list
      after = headless_list_without(elements)
      @model.headless_journal.change(
        undo: -> { headless_restore(before, elements, vertices) },
        redo: -> { headless_drop(after.dup, elements, vertices) },
        events: headless_removing_events(elements), touching: self
      )
    end

    # A definition must not contain itself, at any depth.
    # @raise [ArgumentError]
    def headless_refuse_recursion(definition)
      return unless @definition && definition.headless_contains?(@definition)

      raise ArgumentError, 'a component cannot be placed inside itself'
    end

    private

    def headless_list_without(elements)
      return [] if elements.size == @list.size

      gone = {}.compare_by_identity
      elements.each { |element| gone[element] = true }
      @list.reject { |element| gone.key?(element) }
    end

    def headless_append(elements, vertices)
      linked = headless_linked(elements, @list.empty?)
      @list.concat(elements)
      headless_mark(elements, vertices, nil)
      linked.each(&:headless_attach)
    end

    def headless_take_back(elements, vertices)
      @list.pop(elements.size)
      @sewing = nil
      headless_mark(elements, vertices, true)
      headless_linked(elements, @list.empty?).reverse_each(&:headless_detach)
    end

    def headless_drop(list, elements, vertices)
      @list = list
      @sewing = nil
      headless_mark(elements, vertices, true)
      headless_linked(elements, list.empty?).each(&:headless_detach)
    end

    def headless_restore(list, elements, vertices)
      @list = list
      @sewing = nil
      headless_mark(elements, vertices, nil)
      headless_linked(elements, list.size == elements.size).reverse_each(&:headless_attach)
    end

    def headless_mark(elements, vertices, deleted)
      ids = @model.headless_identities
      [vertices, elements].each { |entities| deleted ? ids.release(entities) : ids.recall(entities) }
      vertices.each { |vertex| vertex.headless_deleted = deleted }
      elements.each { |element| element.headless_deleted = deleted }
    end

    # What has to be linked or unlinked: edges and faces that come or go all together stay linked to
    # one another.
    def headless_linked(elements, all)
      all ? headless_placed_in(elements) : elements
    end

    def headless_adding_events(elements)
      [[:element_added, self, elements]] + headless_placed_in(elements).map do |instance|
        [:instance_added, instance.headless_definition, instance]
      end
    end

    def headless_removing_events(elements)
      [[:element_removed, self, elements]] + headless_placed_in(elements).map do |instance|
        [:instance_removed, instance.headless_definition, instance]
      end
    end

    def headless_placed_in(elements)
      elements.select do |element|
        element.is_a?(Sketchup::ComponentInstance) || element.is_a?(Sketchup::Group)
      end
    end
  end
end
