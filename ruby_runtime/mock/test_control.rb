# frozen_string_literal: true

require 'test_control/millimetres'
require 'test_control/lookup'
require 'test_control/description'
require 'test_control/building'
require 'test_control/editing'
require 'test_control/state'
require 'test_control/staging'
require 'test_control/delays'

module Headless
  # Tools by which a test sets the scene and looks behind it. They are reached like all others, after
  # hello; lengths are millimetres. They exist only here: a real SketchUp has none of them.
  module TestControl
    CAPABILITY = 'test_control'
    PARTS = [Staging, Building, Editing, State].freeze

    # @param registry [Vcad::Bridge::Tools::Registry]
    def self.add_to(registry, services)
      PARTS.each do |part|
        part.public_instance_methods(false).each { |tool| add(registry, services, part, tool) }
      end
      registry.extend(Delays)
    end

    def self.add(registry, services, part, tool)
      options = { effect: :control, capability: CAPABILITY, guarded: false }
      registry.add("_test.#{tool}", **options) do |arguments, _call|
        # Nobody watches after the start.
        services.watch_lists.stop if tool == :reset
        answer(part, tool, arguments)
      end
    end

    # @return [Hash] with `success`
    def self.answer(part, tool, arguments)
      result = Object.new.extend(Lookup, part).public_send(tool, arguments)
      { 'success' => true }.merge(result)
    rescue ArgumentError, TypeError => e
      raise Vcad::Bridge::Failure.new('INVALID_PARAMS', e.message,
                                      details: { 'path' => "_test.#{tool}", 'expected' => e.message })
    end
    private_class_method :add, :answer
  end
end
