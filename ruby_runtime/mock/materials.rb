# frozen_string_literal: true

require 'named_list'

module Sketchup
  # Colour and transparency.
  class Material < Entity
    MATERIAL_SOLID = 0
    MATERIAL_TEXTURED = 1
    MATERIAL_COLORIZED_TEXTURED = 2
    OWNER_EXCLUSIVE = 0
    OWNER_IMAGE = 1
    OWNER_LAYER = 2

    def initialize(list, name)
      super(list.headless_model)
      @list = list
      @name = name
      @color = [255, 255, 255, 255]
      @alpha = 1.0
    end

    def name
      @name.dup
    end

    # @raise [ArgumentError] for a name that is taken
    def name=(name)
      raise ArgumentError, 'the name is taken' if @list.headless_taken?(name, self)

      assign(:@name, name.dup.freeze)
    end

    # The name without the brackets of built-in materials.
    def display_name
      @name.delete_prefix('[').delete_suffix(']')
    end

    # @return [Sketchup::Color] alpha in it as the material has it
    def color
      Color.new([*@color.first(3), (@alpha * 255).round])
    end

    # @param color [Sketchup::Color, String, Array]
    def color=(color)
      assign(:@color, Color.new(color).to_a)
    end

    # @return [Float] 0 (clear) to 1
    attr_reader :alpha

    def alpha=(alpha)
      raise ArgumentError, 'alpha is a number from 0 to 1' unless alpha.is_a?(Numeric) && alpha.between?(0, 1)

      assign(:@alpha, alpha.to_f)
    end

    def use_alpha?
      @alpha < 1
    end

    # @return [nil] materials have no textures here
    def texture
      nil
    end

    def texture=(texture)
      raise NotImplementedError, 'textures are not part of this SketchUp' if texture
    end

    def materialType # rubocop:disable Naming/MethodName -- the host's name
      MATERIAL_SOLID
    end

    def owner_type
      OWNER_EXCLUSIVE
    end

    def ==(other)
      equal?(other)
    end

    def <=>(other)
      name <=> other.name
    end

    def headless_named?(name)
      @name == name
    end

    def headless_change_events
      [[:material_changed, @list, self]]
    end
  end

  # The materials of a model.
  class Materials < Entity
    include Headless::NamedList

    def initialize(model)
      super
      @list = []
    end

    # @param name [String] made unique when it is taken
    # @return [Sketchup::Material]
    def add(name = 'Material')
      headless_journal.step('Add Material') do
        made = Material.new(self, headless_unique_name(name))
        headless_enlist(made, [[:material_added, self, made]])
      end
    end

    # @return [Sketchup::Material, nil] what the paint tool holds
    def current
      @current if @current&.valid?
    end

    def current=(material)
      @current = material.nil? ? nil : @model.headless_material(material)
      Headless::Observers.notify(self, :onMaterialSetCurrent, self, @current)
    end

    # Whatever is painted with it loses its paint.
    # @return [Boolean]
    def remove(material)
      material = self[material] if material.is_a?(String)
      return false unless material && @list.include?(material)

      headless_journal.step('Delete Material') do
        headless_unpaint(material)
        headless_strike(material, [[:material_removed, self, material]])
      end
      true
    end

    # @return [String] the name, or one made from it that is free
    def unique_name(name = nil)
      headless_unique_name(name)
    end

    # @return [Sketchup::Materials]
    def purge_unused
      elements = @model.headless_every_element
      used = elements.map(&:material) + elements.grep(Face).map(&:back_material)
      used = used.compact.uniq
      headless_journal.step('Purge Materials') { (@list - used).each { |material| remove(material) } }
      self
    end

    private

    def headless_default_name
      'Material'
    end

    def headless_unpaint(material)
      @model.headless_every_element.each do |element|
        element.material = nil if element.material.equal?(material)
        element.back_material = nil if element.is_a?(Face) && element.back_material.equal?(material)
      end
    end
  end
end
