# frozen_string_literal: true

module Headless
  # A call that the mock does not know. SketchUp may know it; then the mock has to learn it.
  class MockGap < NoMethodError
  end

  # The unknown calls so far, each once, in the order of their first use.
  class Gaps
    def initialize
      @seen = {}
    end

    def add(name)
      @seen[name] = true
    end

    def to_a
      @seen.keys
    end

    def empty?
      @seen.empty?
    end
  end

  # Turns an unknown call into a MockGap that is on record.
  module GapReporting
    # Includes the reporting into every class and module of the API below these.
    def self.cover(*namespaces)
      namespaces.each do |namespace|
        namespace.extend(self)
        namespace.constants.each do |name|
          inner = namespace.const_get(name)
          next unless inner.is_a?(Module) && inner.name&.start_with?("#{namespace.name}::")

          inner.extend(self)
          inner.include(self) if inner.is_a?(Class)
        end
      end
    end

    def method_missing(name, *_arguments)
      shown = is_a?(Module) ? "#{self.name}.#{name}" : "#{self.class.name}##{name}"
      Headless.host.gaps.add(shown)
      raise MockGap.new("MockGap: #{shown}", name)
    end

    # Ruby itself asks objects for conversions (`to_ary`, `to_str`, …); those are no gaps.
    def respond_to_missing?(_name, _include_private = false)
      false
    end
  end
end
