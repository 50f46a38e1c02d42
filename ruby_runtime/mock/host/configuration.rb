# frozen_string_literal: true

module Headless
  # What is not known of a real SketchUp, or differs between them, as switches with a default.
  class Configuration
    # How the DAE importer nests what it reads: geometry in the new definition itself.
    DAE_STRUCTURE = 'flat'
    # What happens to a change of a locked instance: false is returned and nothing changes.
    LOCK_MODE = 'refuse'
    # Whether an import fires `onComponentAdded`.
    MOCK_IMPORT_EVENTS = false
    # On macOS each document has its Model object; on Windows one object serves them all.
    PLATFORM = 'macos'
    # Real time, or time that only `_test.advance` moves.
    CLOCK = 'real'

    CHOICES = {
      dae_structure: %w[flat wrapped multi],
      lock_mode: %w[refuse raise],
      platform: %w[macos windows],
      import_events: [true, false],
      clock: %w[real virtual]
    }.freeze

    attr_reader :dae_structure, :lock_mode, :platform, :import_events, :clock

    def initialize
      @dae_structure = DAE_STRUCTURE
      @lock_mode = LOCK_MODE
      @platform = PLATFORM
      @import_events = MOCK_IMPORT_EVENTS
      @clock = CLOCK
    end

    # @param changes [Hash{Symbol => Object}] new values; nothing changes when one of them is bad
    # @raise [ArgumentError] for an unknown name or value
    def update(changes)
      changes.each { |name, value| check(name, value) }
      changes.each_key { |name| instance_variable_set(:"@#{name}", changes[name]) }
      self
    end

    def to_h
      CHOICES.keys.to_h { |name| [name, public_send(name)] }
    end

    private

    def check(name, value)
      choices = CHOICES.fetch(name) { raise ArgumentError, "there is no setting #{name}" }
      return if choices.include?(value)

      raise ArgumentError, "#{name} is one of #{choices.join(', ')}, not #{value.inspect}"
    end
  end
end
