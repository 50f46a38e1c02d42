# frozen_string_literal: true

module Headless
  # Layers, materials and pages: lists of named entities that hang on a model.
  module NamedList
    include Enumerable

    # @param key [Integer, String] index or name
    def [](key)
      key.is_a?(Integer) ? @list[key] : @list.find { |entity| entity.headless_named?(key) }
    end

    def at(key)
      self[key]
    end

    def each(&block)
      return to_enum(:each) { @list.size } unless block

      @list.dup.each(&block)
      self
    end

    def length
      @list.size
    end

    def size
      @list.size
    end

    def count(*arguments, &block)
      arguments.empty? && !block ? @list.size : super
    end

    def to_a
      @list.dup
    end

    def headless_list
      @list
    end

    # Whether an entity other than this one has the name.
    def headless_taken?(name, except)
      @list.any? { |entity| entity.name == name && !entity.equal?(except) }
    end

    # @return [String] the name, or one made from it that is free
    def headless_unique_name(name)
      name = headless_default_name if name.nil? || name.empty?
      return name.dup.freeze unless @list.any? { |entity| entity.name == name }

      base = name.sub(/\d+\z/, '')
      number = 1
      number += 1 while @list.any? { |entity| entity.name == "#{base}#{number}" }
      "#{base}#{number}"
    end

    private

    # Adds an entity that was just made, reversibly.
    def headless_enlist(entity, events)
      entity.headless_deleted = true
      headless_journal.change(undo: -> { headless_list_as(@list[0...-1], entity, true) },
                              redo: -> { headless_list_as(@list + [entity], entity, nil) }, events: events)
      entity
    end

    def headless_strike(entity, events)
      before = @list
      after = before.reject { |kept| kept.equal?(entity) }
      headless_journal.change(undo: -> { headless_list_as(before, entity, nil) },
                              redo: -> { headless_list_as(after, entity, true) }, events: events)
    end

    def headless_list_as(list, entity, deleted)
      @list = list
      entity.headless_deleted = deleted
    end
  end
end
