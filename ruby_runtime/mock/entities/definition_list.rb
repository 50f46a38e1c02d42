# frozen_string_literal: true

module Sketchup
  # All definitions of a model, those of groups included.
  class DefinitionList < Entity
    include Enumerable

    def initialize(model)
      super
      @list = []
      @walking = 0
    end

    # The list itself: whoever changes it meanwhile gets an error.
    def each(&block)
      return to_enum(:each) { @list.size } unless block

      @walking += 1
      begin
        @list.each(&block)
      ensure
        @walking -= 1
      end
      self
    end

    # @param key [Integer, String] index, name or guid
    # @return [Sketchup::ComponentDefinition, nil]
    def [](key)
      return @list[key] if key.is_a?(Integer)

      @list.find { |definition| definition.name == key } || @list.find { |definition| definition.guid == key }
    end

    def at(index)
      @list[index]
    end

    def length
      @list.size
    end

    alias size length

    def to_a
      @list.dup
    end

    # @return [Sketchup::ComponentDefinition]
    def add(name)
      headless_journal.step('Add Component') { headless_add(name) }
    end

    # @return [String] the name, or one made from it that is free
    def unique_name(name)
      headless_unique_name(name)
    end

    # @param path [String]
    # @param options [Hash] of the importer
    # @return [Sketchup::ComponentDefinition, nil] nil when the file holds no geometry or cannot be read
    # @raise [IOError] without such a file
    # @raise [ArgumentError] when no importer knows the format
    def import(path, options = {})
      headless_journal.step('Import') do
        headless_journal.without(Headless.configuration.import_events ? [] : [:definition_added]) do
          Headless::Importers.import(@model, path, options)
        end
      end
    end

    # @return [Sketchup::ComponentDefinition]
    def load(path, allow_newer: false)
      headless_journal.step('Load Component') { Headless::Dump.load_definition(@model, path, allow_newer) }
    end

    # Removes a definition with all its instances.
    # @return [Boolean]
    # @raise [ArgumentError] when it is being edited
    def remove(definition)
      raise ArgumentError, 'a ComponentDefinition of this model is needed' unless @list.include?(definition)

      headless_refuse_on_path(definition)
      headless_refuse_while_walking
      headless_journal.step('Remove Component') { headless_remove(definition) }
      true
    end

    # Removes the definitions that are nowhere in the model.
    # @return [Sketchup::DefinitionList]
    def purge_unused
      headless_refuse_while_walking
      headless_journal.step('Purge') do
        unused = @list.reject(&:headless_used?)
        unused.each { |definition| headless_remove(definition) }
      end
      self
    end

    # @param group [Boolean]
    # @param events [Boolean] whether observers hear of it
    def headless_add(name, group: false, events: true)
      headless_refuse_while_walking
      name = headless_numbered(group ? 'Group' : 'Component') if name.empty?
      made = ComponentDefinition.new(@model, self, headless_unique_name(name), group: group)
      made.headless_deleted = true
      headless_journal.change(
        undo: -> { headless_set(@list[0...-1], made, true) },
        redo: -> { headless_set(@list + [made], made, nil) },
        events: events ? [[:definition_added, self, made]] : []
      )
      made
    end

    # @param except [Sketchup::ComponentDefinition, nil] which may keep the name
    def headless_unique_name(name, except = nil)
      return headless_unique_name(headless_numbered('Component'), except) if name.empty?

      taken = headless_others(except).any? { |definition| definition.headless_name == name }
      taken ? headless_free_number(name, except) : name.dup.freeze
    end

    private

    def headless_numbered(word)
      headless_free_number(word, nil)
    end

    def headless_free_number(word, except)
      taken = headless_others(except).to_h { |definition| [definition.headless_name, true] }
      number = 1
      number += 1 while taken.key?("#{word}##{number}")
      "#{word}##{number}"
    end

    def headless_others(except)
      @list.reject { |definition| definition.equal?(except) }
    end

    def headless_set(list, definition, deleted)
      @list = list
      definition.headless_deleted = deleted
      definition.headless_entities.headless_deleted = deleted
    end

    # Instances first, then the contents, then the definition.
    def headless_remove(definition)
      definition.instances.group_by(&:headless_owner).each do |owner, instances|
        Headless::Erasing.remove(owner, instances)
      end
      Headless::Erasing.empty(definition.headless_entities)
      before = @list
      headless_journal.change(
        undo: -> { headless_set(before, definition, nil) },
        redo: -> { headless_set(before.reject { |kept| kept.equal?(definition) }, definition, true) },
        events: [[:definition_removed, self, definition]]
      )
    end

    def headless_refuse_on_path(definition)
      edited = @model.headless_edit_path.map(&:headless_definition)
      return unless edited.any? { |open| definition.headless_contains?(open) }

      raise ArgumentError, 'a definition on the active path cannot be removed'
    end

    def headless_refuse_while_walking
      return if @walking.zero?

      raise Headless::MockMutationDuringIteration,
            'definitions must not change while walked: take .to_a first'
    end
  end
end
