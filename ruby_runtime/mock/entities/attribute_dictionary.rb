# frozen_string_literal: true

module Sketchup
  # Named values of one entity.
  class AttributeDictionary < Entity
    include Enumerable

    # Classes of which SketchUp stores a value as an attribute.
    STORABLE = [String, Numeric, TrueClass, FalseClass, NilClass, Time, Length, Geom::Point3d,
                Geom::Vector3d].freeze
    private_constant :STORABLE

    def initialize(model, holder, name)
      super(model)
      @holder = holder
      @name = name
      @values = {}
    end

    def name
      @name.dup
    end

    def parent
      @holder.attribute_dictionaries
    end

    def [](key)
      copied(@values[key.to_s])
    end

    # @raise [ArgumentError] for a value that cannot be stored, such as a Hash or a Symbol
    def []=(key, value)
      unless key.is_a?(String) || key.is_a?(Symbol)
        raise ArgumentError,
              "attribute key must not be #{key.inspect}"
      end

      check(value)
      headless_journal.assign(self, :@values, @values.merge(key.to_s => copied(value)),
                              events: @holder.headless_change_events)
    end

    # @return the value that was there
    def delete_key(key)
      return nil unless @values.key?(key.to_s)

      value = @values[key.to_s]
      headless_journal.assign(self, :@values, @values.except(key.to_s),
                              events: @holder.headless_change_events)
      value
    end

    def each
      @values.to_a.each { |key, value| yield key.dup, copied(value) }
      self
    end

    alias each_pair each

    def each_key(&block)
      keys.each(&block)
      self
    end

    def keys
      @values.keys.map(&:dup)
    end

    def values
      @values.values.map { |value| copied(value) }
    end

    def length
      @values.size
    end

    alias size length
    alias count length

    def empty?
      @values.empty?
    end

    def headless_values
      @values
    end

    private

    def check(value)
      return value.each { |part| check(part) } if value.is_a?(Array)
      return if STORABLE.any? { |storable| value.is_a?(storable) } || value.is_a?(Color)

      raise ArgumentError, "a #{value.class} cannot be stored as an attribute"
    end

    # SketchUp stores values, not objects.
    def copied(value)
      case value
      when Array then value.map { |part| copied(part) }
      when String then value.dup
      else value
      end
    end
  end

  # All dictionaries of one entity.
  class AttributeDictionaries < Entity
    include Enumerable

    def initialize(model, holder)
      super(model)
      @holder = holder
    end

    def parent
      @holder
    end

    def [](name)
      @holder.attribute_dictionary(name)
    end

    # @return [Boolean]
    def delete(dictionary)
      found = dictionary.is_a?(String) ? self[dictionary] : dictionary
      return false unless found

      @holder.headless_drop_dictionary(found)
      true
    end

    def each(&block)
      @holder.headless_dictionaries.each(&block)
      self
    end

    def length
      @holder.headless_dictionaries.size
    end

    alias size length
    alias count length

    def empty?
      length.zero?
    end
  end
end
