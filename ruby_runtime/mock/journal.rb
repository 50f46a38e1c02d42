# frozen_string_literal: true

require 'journal_entry'

module Headless
  # The operations of one model and its undo stack. Every change of the model goes through here, together
  # with its inverse; nothing is ever copied as a whole.
  #
  # An object that is made within an entry needs no record of later changes in the same entry: undoing the
  # entry deletes it, redoing brings it back as it was left.
  class Journal
    # How many entries the host keeps.
    UNDO_LIMIT = 100
    # How many elements that come or go all entries together may hold, for the sake of memory (about
    # half a gigabyte); the newest entry is always kept.
    ELEMENT_LIMIT = 3_000_000

    # Number of the current entry; objects made now carry it.
    attr_reader :serial

    def initialize(model)
      @model = model
      @serial = 0
      @revision = 0
      @building = 0
      @unheard = []
      forget
    end

    # Forgets all entries, as after opening a file.
    def forget
      @done = []
      @undone = []
      @entry = nil
      @chain_next = false
    end

    # Makes a change by calling `redo` and remembers how to take it back.
    # @param undo [Proc] restores exactly what was there before
    # @param redo [Proc]
    # @param events [Array<Array>] what to tell the observers, see {Observers::KINDS}
    # @param touching [Sketchup::Entities, nil] whose geometry changes
    # @param transient [Boolean] restored by an abort only, like the selection
    def change(undo:, events: [], touching: nil, transient: false, **forward)
      Headless.main_thread!
      redone = forward.fetch(:redo) # a keyword of Ruby, which cannot be read as a parameter
      return single_change(undo, redone, events, touching, transient) unless @entry

      begin_changes if !transient && !@entry.explicit && @entry.changes.empty?
      Headless.host.observer_mutation = true if Observers.delivering?
      revisions = touching&.headless_revisions(next_revision)
      made = Change.new(undo, redone, touching, transient, revisions)
      made.apply
      @entry.changes << made
      @entry.events.concat(@unheard.empty? ? events : events.reject { |kind, *| @unheard.include?(kind) })
      nil
    end

    # Sets an instance variable, reversibly.
    def assign(object, variable, value, events: [], touching: nil)
      if @entry && object.instance_variable_get(:@born).equal?(@serial)
        object.instance_variable_set(variable, value)
        touching&.headless_touched(nil)
        return
      end
      before = object.instance_variable_get(variable)
      change(undo: -> { object.instance_variable_set(variable, before) },
             redo: -> { object.instance_variable_set(variable, value) },
             events: events, touching: touching)
    end

    # Several changes as one entry, when no operation is open; in an operation they are part of it. What
    # was done before the block raises stays, as with the host's calls.
    # @return what the block returns
    def step(name)
      return yield if @entry

      @entry = new_entry(name, explicit: false, chained: false)
      begin
        yield
      ensure
        close_single
      end
    end

    # @return [Boolean] true
    # @raise [RuntimeError] inside a build block
    def start(name, next_transparent: false, transparent: false)
      raise 'start_operation is not allowed while entities are being built' if @building.positive?

      commit if operation?
      chained = (transparent || @chain_next) && !@done.empty?
      @chain_next = next_transparent
      @entry = new_entry(name.to_s, explicit: true, chained: chained)
      Observers.notify(@model, :onTransactionStart, @model)
      true
    end

    # @return [Boolean] false when nothing is open
    def commit
      return false unless operation?

      entry = take_entry
      if entry.empty?
        Observers.notify(@model, :onTransactionEmpty, @model)
      else
        keep(entry)
        announce(entry)
      end
      true
    end

    # Takes back all of the open operation, with what it was chained to.
    # @return [Boolean] false when nothing is open
    def abort
      return false unless operation?

      entry = take_entry
      entry.revert
      pop_group.each(&:revert) if entry.chained
      @chain_next = false
      Observers.notify(@model, :onTransactionAbort, @model)
      true
    end

    # Ends the open operation and goes on with one that is chained to it: what the host does when the
    # editing context changes.
    def split
      return unless operation?

      before = @entry
      commit
      @entry = new_entry(before.name, explicit: true, chained: before.empty? ? before.chained : true)
      Observers.notify(@model, :onTransactionStart, @model)
    end

    # @return [Boolean] false when there is nothing to undo
    def undo
      commit
      group = pop_group
      return false if group.empty?

      group.each(&:revert)
      @undone.push(group)
      @model.headless_modified = true
      group.each { |entry| Observers.deliver_inverse(entry.events) }
      Observers.notify(@model, :onTransactionUndo, @model)
      true
    end

    # @return [Boolean] false when there is nothing to redo
    def redo
      commit
      group = @undone.pop
      return false unless group

      entries = group.reverse
      entries.each(&:apply)
      @done.concat(entries)
      @model.headless_modified = true
      entries.each { |entry| Observers.deliver(entry.events) }
      Observers.notify(@model, :onTransactionRedo, @model)
      true
    end

    # Kinds of events that observers do not hear of when they happen in the block.
    def without(kinds)
      before = @unheard
      @unheard = kinds
      yield
    ensure
      @unheard = before
    end

    # For the time of the block no operation can be started.
    def building
      @building += 1
      yield
    ensure
      @building -= 1
    end

    def operation?
      !@entry.nil? && @entry.explicit
    end

    # @return [String, nil] name of the operation that is open
    def open_operation
      @entry.name if operation?
    end

    # @return [Array<String>] oldest first; chained entries count as one
    def undo_names
      @done.reject(&:chained).map(&:name)
    end

    # @return [Array<String>] the one that redo comes to next is last
    def redo_names
      @undone.map { |group| group.last.name }
    end

    private

    def new_entry(name, explicit:, chained:)
      @serial += 1
      JournalEntry.new(name, @serial, explicit: explicit, chained: chained)
    end

    def take_entry
      entry = @entry
      @entry = nil
      entry
    end

    def next_revision
      @revision += 1
    end

    def single_change(undo, redone, events, touching, transient)
      return Change.new(undo, redone, touching, transient, [nil, nil]).apply if transient

      step('Change') { change(undo: undo, redo: redone, events: events, touching: touching) }
      nil
    end

    def begin_changes
      Observers.notify(@model, :onTransactionStart, @model)
    end

    def close_single
      entry = take_entry
      return if entry.empty?

      keep(entry)
      announce(entry)
    end

    def keep(entry)
      @done.push(entry.settle)
      @undone.clear
      @model.headless_modified = true
      trim
    end

    def announce(entry)
      Observers.deliver(entry.events)
      Observers.notify(@model, :onTransactionCommit, @model)
    end

    def trim
      drop_oldest if @done.size > UNDO_LIMIT && @done.count { |entry| !entry.chained } > UNDO_LIMIT
      drop_oldest while @done.size > 1 && @done.sum(&:element_count) > ELEMENT_LIMIT
    end

    def drop_oldest
      @done.shift
      @done.shift while @done.size > 1 && @done.first.chained
    end

    # The newest entry and those before it that it is chained to, newest first.
    def pop_group
      group = []
      while (entry = @done.pop)
        group << entry
        break unless entry.chained
      end
      group
    end
  end
end
