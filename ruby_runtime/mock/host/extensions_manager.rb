# frozen_string_literal: true

module Sketchup
  # The extensions that were registered in this process.
  class ExtensionsManager
    include Enumerable

    def initialize
      @extensions = []
    end

    # @param key [Integer, String] position, name or id
    def [](key)
      return @extensions[key] if key.is_a?(Integer)

      @extensions.find { |extension| [extension.name, extension.id].include?(key) }
    end

    def each(&block)
      @extensions.dup.each(&block)
      self
    end

    def keys
      @extensions.map(&:name)
    end

    def size
      @extensions.size
    end
    alias length size
    alias count size

    def headless_add(extension)
      @extensions << extension unless @extensions.include?(extension)
    end
  end
end
