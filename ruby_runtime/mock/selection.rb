# frozen_string_literal: true

module Sketchup
  # What is selected. It is not part of the undo stack; an aborted operation puts it back.
  class Selection
    include Enumerable
    include Headless::Observable

    def initialize(model)
      @model = model
      @list = []
    end

    attr_reader :model

    def each(&block)
      return to_enum(:each) { @list.size } unless block

      @list.each(&block)
      self
    end

    def [](index)
      @list[index]
    end

    alias at []

    def length
      @list.size
    end

    alias size length
    alias nitems length

    def count(*arguments, &block)
      arguments.empty? && !block ? @list.size : super
    end

    def empty?
      @list.empty?
    end

    def first
      @list.first
    end

    def shift
      first.tap { |entity| remove(entity) if entity }
    end

    def to_a
      @list.dup
    end

    def contains?(entity)
      @list.include?(entity)
    end

    alias include? contains?

    # @return [Integer] number of entities added
    def add(*entities)
      entities = entities.flatten
      entities.each { |entity| Headless::Guard.refuse(entity) if entity.deleted? }
      added = entities.uniq - @list
      change(@list + added, :onSelectionAdded, added)
      added.size
    end

    # @return [Integer] number of entities removed
    def remove(*entities)
      gone = entities.flatten & @list
      change(@list - gone, :onSelectionRemoved, gone)
      gone.size
    end

    # @return [Integer] number of entities whose state changed
    def toggle(*entities)
      entities = entities.flatten.uniq
      inside, outside = entities.partition { |entity| @list.include?(entity) }
      remove(inside) + add(outside)
    end

    def invert
      all = @model.active_entities.to_a
      toggle(all)
    end

    # @return [Integer] number of entities that were selected
    def clear
      count = @list.size
      return 0 if count.zero?

      set([])
      Headless::Observers.notify(self, :onSelectionCleared, self)
      count
    end

    def is_curve? # rubocop:disable Naming/PredicateName -- the host's name
      false
    end

    def is_surface? # rubocop:disable Naming/PredicateName -- the host's name
      false
    end

    def single_object?
      @list.size == 1
    end

    # Whatever is deleted is not selected any more.
    def headless_forget(elements)
      return if @list.empty?

      kept = @list - elements
      set(kept) unless kept.size == @list.size
    end

    private

    def set(list)
      before = @list
      @model.headless_journal.change(undo: -> { @list = before }, redo: -> { @list = list }, transient: true)
    end

    # One entity is told by itself, several as a bulk change.
    def change(list, callback, entities)
      return if entities.empty?

      set(list)
      return Headless::Observers.notify(self, callback, self, entities.first) if entities.size == 1

      Headless::Observers.notify(self, :onSelectionBulkChange, self)
    end
  end
end
