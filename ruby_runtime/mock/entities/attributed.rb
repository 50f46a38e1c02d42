# frozen_string_literal: true

module Headless
  # Attribute dictionaries of entities and of the model. Host objects include it; they know `model`.
  module Attributed
    # Dictionaries that only the host itself writes, and those that stay once they are there.
    UNWRITABLE = %w[GSU_ContributorsInfo].freeze
    PERMANENT = %w[SU_DefinitionSet SU_InstanceSet].freeze
    private_constant :UNWRITABLE, :PERMANENT

    # @return the value, or the default when there is none
    def get_attribute(dictionary, key, default = nil)
      found = attribute_dictionary(dictionary)
      value = found && found[key]
      value.nil? ? default : value
    end

    # Makes the dictionary when it is missing.
    # @raise [ArgumentError] for a value that SketchUp cannot store, or a reserved dictionary
    def set_attribute(dictionary, key, value)
      headless_journal.step('Set Attribute') do
        attribute_dictionary(dictionary, true)[key] = value
      end
    end

    # @return [Boolean] whether there was something to delete
    # @raise [ArgumentError] for a dictionary of the host's own
    def delete_attribute(dictionary, key = nil)
      found = attribute_dictionary(dictionary)
      return false unless found
      return !found.delete_key(key).nil? if key

      headless_drop_dictionary(found)
      true
    end

    # @return [Sketchup::AttributeDictionary, nil]
    def attribute_dictionary(name, create = false) # rubocop:disable Style/OptionalBooleanParameter -- the host's
      raise TypeError, 'dictionary name must be a String' unless name.is_a?(String)

      found = (@dictionaries || {})[name]
      found || (headless_make_dictionary(name) if create)
    end

    # @return [Sketchup::AttributeDictionaries, nil]
    def attribute_dictionaries
      return nil if @dictionaries.nil? || @dictionaries.empty?

      @attribute_dictionaries ||= Sketchup::AttributeDictionaries.new(headless_model, self)
    end

    # @return [Hash{String => Hash}] all attributes
    def headless_attributes
      (@dictionaries || {}).transform_values(&:headless_values)
    end

    def headless_dictionaries
      (@dictionaries || {}).values
    end

    def headless_drop_dictionary(dictionary)
      raise ArgumentError, "#{dictionary.name} cannot be deleted" if PERMANENT.include?(dictionary.name)

      headless_journal.step('Delete Attributes') do
        left = @dictionaries.except(dictionary.name)
        headless_journal.assign(self, :@dictionaries, left, events: headless_change_events)
        dictionary.headless_bury
      end
    end

    # Takes over all attributes of another object.
    def headless_copy_attributes(other)
      other.headless_attributes.each do |name, values|
        values.each { |key, value| set_attribute(name, key, value) }
      end
    end

    private

    def headless_make_dictionary(name)
      raise ArgumentError, "#{name} is reserved" if UNWRITABLE.include?(name)

      made = nil
      headless_journal.step('Add Attributes') do
        made = Sketchup::AttributeDictionary.new(headless_model, self, name.dup.freeze)
        headless_journal.assign(self, :@dictionaries, (@dictionaries || {}).merge(name => made),
                                events: headless_change_events)
      end
      made
    end
  end
end
