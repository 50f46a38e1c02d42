# frozen_string_literal: true

require 'named_list'

# The host's own names for how new scenes treat a layer.
LAYER_VISIBLE_BY_DEFAULT = 0x0000
LAYER_HIDDEN_BY_DEFAULT = 0x0001
LAYER_USES_DEFAULT_VISIBILITY_ON_NEW_PAGES = 0x0000
LAYER_IS_VISIBLE_ON_NEW_PAGES = 0x0010
LAYER_IS_HIDDEN_ON_NEW_PAGES = 0x0020

module Sketchup
  # What newer versions call a tag.
  class Layer < Entity
    def initialize(list, name, color)
      super(list.headless_model)
      @list = list
      @name = name
      @visible = true
      @page_behavior = LAYER_VISIBLE_BY_DEFAULT
      @color = color
    end

    def name
      @name.dup
    end

    # @raise [ArgumentError] for a name that is taken, and for the first layer
    def name=(name)
      raise ArgumentError, 'the first layer cannot be renamed' if headless_default?
      raise ArgumentError, 'the name is taken' if @list.headless_taken?(name, self)

      assign(:@name, name.dup.freeze)
    end

    def display_name
      headless_default? ? 'Untagged' : name
    end

    def visible?
      @visible
    end

    def visible=(value)
      assign(:@visible, value ? true : false)
    end

    attr_reader :page_behavior

    def page_behavior=(behavior)
      assign(:@page_behavior, Integer(behavior))
    end

    # @return [Sketchup::Color]
    def color
      Color.new(@color)
    end

    def color=(color)
      assign(:@color, Color.new(color).to_a)
    end

    # @return [nil] layers lie in no folders here
    def folder
      nil
    end

    def ==(other)
      equal?(other)
    end

    def <=>(other)
      name <=> other.name
    end

    def headless_default?
      @model.headless_default_layer.equal?(self)
    end

    def headless_named?(name)
      @name == name || display_name == name
    end

    def headless_change_events
      [[:layer_changed, @list, self]]
    end
  end

  # The layers of a model; the first one is always there.
  class Layers < Entity
    include Headless::NamedList

    FIRST = 'Layer0'
    private_constant :FIRST

    def initialize(model)
      super
      @list = []
      @list = [Layer.new(self, FIRST, [136, 136, 136, 255])]
    end

    # @return [Sketchup::Layer] the one with this name, or a new one
    def add(name)
      raise TypeError, 'name must be a String' unless name.is_a?(String)

      self[name] || headless_journal.step('Add Tag') do
        name = headless_default_name if name.empty?
        made = Layer.new(self, name.dup.freeze, headless_color)
        headless_enlist(made, [[:layer_added, self, made]])
      end
    end

    alias add_layer add

    # @param layer [Sketchup::Layer, String, Integer]
    # @param remove_geometry [Boolean] erase what lies on it, else it goes to the first layer
    # @return [Boolean]
    # @raise [ArgumentError] for the first layer
    def remove(layer, remove_geometry = false) # rubocop:disable Style/OptionalBooleanParameter -- the host's
      layer = self[layer] unless layer.is_a?(Layer)
      return false unless layer && @list.include?(layer)
      raise ArgumentError, 'the first layer cannot be removed' if layer.headless_default?

      headless_journal.step('Delete Tag') do
        headless_clear(layer, remove_geometry)
        headless_strike(layer, [[:layer_removed, self, layer]])
      end
      true
    end

    # @return [String] the name, or one made from it that is free
    def unique_name(name = nil)
      headless_unique_name(name)
    end

    # @return [Integer] number of layers removed
    def purge_unused
      used = @model.headless_every_element.map(&:layer).uniq
      unused = @list.drop(1) - used
      headless_journal.step('Purge Tags') { unused.each { |layer| remove(layer) } }
      unused.size
    end

    private

    def headless_clear(layer, remove_geometry)
      elements = @model.headless_every_element.select { |element| element.layer.equal?(layer) }
      return elements.each { |element| element.layer = nil } unless remove_geometry

      elements.each { |element| element.erase! if element.valid? }
    end

    def headless_default_name
      number = 1
      number += 1 while self["Tag#{number}"]
      "Tag#{number}"
    end

    # Some colour that differs from layer to layer.
    def headless_color
      hue = @list.size * 67
      [(hue * 3) % 256, (hue * 5) % 256, (hue * 7) % 256, 255]
    end
  end
end
