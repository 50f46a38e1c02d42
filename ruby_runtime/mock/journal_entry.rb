# frozen_string_literal: true

module Headless
  # One reversible change. `touching` is the collection whose geometry it alters, `revisions` the geometry
  # revision of that collection's definition before and after.
  class Change
    attr_reader :transient

    def initialize(undo, redone, touching, transient, revisions)
      @undo = undo
      @redo = redone
      @touching = touching
      @transient = transient
      @revisions = revisions
    end

    def apply
      @redo.call
      @touching&.headless_touched(@revisions[1])
    end

    def revert
      @undo.call
      @touching&.headless_touched(@revisions[0])
    end
  end

  # What one operation, or one single change outside of any, did.
  class JournalEntry
    attr_reader :name, :serial, :changes, :events, :explicit
    # Whether it belongs to the entry before it: both are undone as one.
    attr_accessor :chained

    def initialize(name, serial, explicit:, chained:)
      @name = name
      @serial = serial
      @explicit = explicit
      @chained = chained
      @changes = []
      @events = []
    end

    def apply
      @changes.each(&:apply)
    end

    def revert
      @changes.reverse_each(&:revert)
    end

    # How many elements came or went.
    def element_count
      @element_count ||= @events.sum do |kind, _, elements|
        %i[element_added element_removed].include?(kind) ? elements.size : 0
      end
    end

    # What stays on the undo stack; the selection is not part of it.
    def settle
      @changes.reject!(&:transient)
      self
    end

    def empty?
      @changes.all?(&:transient)
    end
  end
end
