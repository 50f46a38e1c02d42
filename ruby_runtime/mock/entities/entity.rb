# frozen_string_literal: true

module Sketchup
  # Whatever has an identity in a model. After its deletion every call but a few raises a TypeError.
  class Entity
    include Headless::Observable
    include Headless::Attributed

    def initialize(model)
      @model = model
      ids = model.headless_identities
      @entity_id = ids.enroll(self)
      @persistent_id = ids.take_persistent_id
      @born = model.headless_journal.serial
    end

    # Number for as long as the model is open; a reopened file gives others.
    def entityID # rubocop:disable Naming/MethodName -- the host's name
      @entity_id
    end

    # Number that a saved file keeps.
    attr_reader :persistent_id

    def typename
      self.class.name.split('::').last
    end

    attr_reader :model

    def parent
      @model
    end

    def valid?
      !@deleted
    end

    def deleted?
      @deleted ? true : false
    end

    def inspect
      "#<#{@deleted ? 'Deleted Entity' : self.class.name}:#{@entity_id}>"
    end

    alias to_s inspect

    def headless_id
      @entity_id
    end

    def headless_persistent_id
      @persistent_id
    end

    # Only for entities that are read from a file.
    def headless_persistent_id=(id)
      @persistent_id = id
    end

    def headless_model
      @model
    end

    def headless_journal
      @model.headless_journal
    end

    # Only the journal's changes call it: whether the object exists is part of the model's state. What
    # belongs to it goes along.
    def headless_deleted=(value)
      @deleted = value
      @dictionaries&.each_value { |dictionary| dictionary.headless_deleted = value }
    end

    # Deletes a single object that is in no collection of its own.
    def headless_bury
      headless_journal.change(undo: -> { @deleted = false }, redo: -> { @deleted = true })
    end

    # What observers hear of a changed property.
    def headless_change_events
      [[:entity_changed, @model, self]]
    end

    private

    def assign(variable, value)
      return if instance_variable_get(variable) == value

      headless_journal.assign(self, variable, value, events: headless_change_events)
    end

    def initialize_copy(_original)
      raise TypeError, "allocator undefined for #{self.class}"
    end
  end
end
