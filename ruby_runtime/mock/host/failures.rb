# frozen_string_literal: true

module Headless
  # Raised where a test asked for it.
  class InjectedFailure < RuntimeError
  end

  # Failures that a test ordered: the next import, save, … fails in the way it says.
  class Failures
    POINTS = %w[import export save write_image add_instance definition_set].freeze
    MODES = %w[nil false raise partial].freeze

    def initialize
      @ordered = {}
    end

    # @param what [String] one of POINTS
    # @param mode [String] one of MODES
    # @param after [Integer] how many calls succeed before
    # @raise [ArgumentError] for an unknown point or mode
    def order(what, mode, after: 0)
      raise ArgumentError, "what is one of #{POINTS.join(', ')}" unless POINTS.include?(what)
      raise ArgumentError, "mode is one of #{MODES.join(', ')}" unless MODES.include?(mode)

      (@ordered[what] ||= []) << { mode: mode, after: after }
    end

    # @return [String, nil] how the call that is just being made is to fail
    def due(what)
      waiting = @ordered[what]
      return nil if waiting.nil? || waiting.empty?

      first = waiting.first
      return waiting.shift[:mode] if first[:after].zero?

      first[:after] -= 1
      nil
    end

    # @raise [InjectedFailure]
    def raise_injected(what)
      raise InjectedFailure, "#{what} fails as the test asked"
    end
  end
end
