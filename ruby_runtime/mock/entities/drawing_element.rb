# frozen_string_literal: true

module Sketchup
  # An entity that can be seen: it lies in a collection and has layer, material and visibility.
  class Drawingelement < Entity
    # @param owner [Sketchup::Entities, Sketchup::Model] the collection; the model for a definition
    def initialize(owner)
      @owner = owner
      super(owner.headless_model)
    end

    # @return [Sketchup::ComponentDefinition, Sketchup::Model]
    def parent
      @owner.parent
    end

    def layer
      @layer || @model.headless_default_layer
    end

    # @param layer [Sketchup::Layer, String, nil]
    # @raise [ArgumentError] when there is no such layer
    def layer=(layer)
      found = layer.nil? ? @model.headless_default_layer : @model.headless_layer(layer)
      assign(:@layer, found.equal?(@model.headless_default_layer) ? nil : found)
    end

    attr_reader :material

    # @param material [Sketchup::Material, String, Sketchup::Color, nil] a colour's name makes a material
    # @raise [ArgumentError] when there is no such material
    def material=(material)
      headless_journal.step('Paint') { assign(:@material, @model.headless_material(material)) }
    end

    def visible?
      !@hidden
    end

    def visible=(value)
      self.hidden = !value
    end

    def hidden?
      @hidden ? true : false
    end

    def hidden=(value)
      assign(:@hidden, value ? true : nil)
    end

    def casts_shadows?
      !@no_shadows_cast
    end

    def casts_shadows=(value)
      assign(:@no_shadows_cast, value ? nil : true)
    end

    def receives_shadows?
      !@no_shadows_received
    end

    def receives_shadows=(value)
      assign(:@no_shadows_received, value ? nil : true)
    end

    # @return [Geom::BoundingBox] in the coordinates of what it lies in
    def bounds
      Headless::Extents.box(headless_points)
    end

    # @return [Boolean] true
    def erase!
      @owner.erase_entities(self)
      deleted?
    end

    # @return [Sketchup::Entities] the collection it lies in
    def headless_owner
      @owner
    end

    def headless_owner=(owner)
      @owner = owner
    end

    def headless_change_events
      [[:element_modified, @owner, self]]
    end

    # Layer, material and flags of another element; attributes as well.
    def headless_dress_like(other)
      properties = other.headless_properties
      properties.each { |variable, value| assign(variable, value) }
      headless_copy_attributes(other)
    end

    def headless_properties
      { :@layer => @layer, :@material => @material, :@hidden => @hidden,
        :@no_shadows_cast => @no_shadows_cast, :@no_shadows_received => @no_shadows_received }
    end

    # @return [Array<Array(Float, Float, Float)>] points that span it
    def headless_points
      []
    end

    # Adjacency when it comes into being or back.
    def headless_attach; end

    # Adjacency when it goes.
    def headless_detach; end
  end
end
