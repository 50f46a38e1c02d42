# frozen_string_literal: true

module Headless
  # Finding things in a model by number or name.
  module ModelLookup
    # @param keys [Array<Integer>, Array<String>] ids or guids, as arguments or in one array
    # @return [Sketchup::Entity, nil, Array] an array when several were asked for, nil where nothing is found
    # @raise [TypeError] when ids and guids are mixed
    # @raise [RangeError] for a number beyond 32 bits, which a C int does not hold
    def find_entity_by_id(*keys)
      headless_find(keys) do |key|
        headless_fit(key, 32)
        key.is_a?(String) ? headless_identities.find_guid(key) : headless_identities.find(key)
      end
    end

    # @param keys [Array<Integer>]
    # @return [Sketchup::Entity, nil, Array]
    # @raise [RangeError] for a number beyond 64 bits
    def find_entity_by_persistent_id(*keys)
      headless_find(keys) do |key|
        raise TypeError, 'a persistent id is an Integer' unless key.is_a?(Integer)

        headless_fit(key, 64)
        headless_identities.find_persistent(key)
      end
    end

    # @param layer [Sketchup::Layer, String]
    # @return [Sketchup::Layer]
    # @raise [ArgumentError] when there is none
    def headless_layer(layer)
      return headless_own(layer, 'Layer') if layer.is_a?(Sketchup::Layer)

      layers[layer] || raise(ArgumentError, "there is no layer #{layer.inspect}")
    end

    # @param material [Sketchup::Material, Sketchup::Color, String, Array, nil]
    # @return [Sketchup::Material, nil] made when a colour is given
    # @raise [ArgumentError] when there is none
    def headless_material(material)
      case material
      when nil then nil
      when Sketchup::Material then headless_own(material, 'Material')
      when String then materials[material] || headless_color_material(material)
      else headless_color_material(material)
      end
    end

    def headless_default_layer
      @layers.headless_list.first
    end

    # Everything that can be seen, in the model and in all definitions.
    # @return [Array<Sketchup::Drawingelement>]
    def headless_every_element
      [@entities, *@definitions.to_a.map(&:headless_entities)].flat_map do |entities|
        entities.headless_list.dup
      end
    end

    private

    def headless_find(keys, &block)
      several = keys.size != 1 || keys.first.is_a?(Array)
      keys = keys.flatten
      unless keys.all?(Integer) || keys.all?(String)
        raise TypeError, 'either ids or guids are needed, all of one kind'
      end

      found = keys.map(&block)
      several ? found : found.first
    end

    def headless_fit(key, bits)
      return unless key.is_a?(Integer) && key.bit_length >= bits

      raise RangeError, "the number #{key} does not fit into #{bits} bits"
    end

    def headless_own(entity, kind)
      Guard.refuse(entity) if entity.deleted?
      return entity if entity.headless_model.equal?(self)

      raise ArgumentError, "the #{kind} belongs to another model"
    end

    # A colour becomes a material of that name.
    def headless_color_material(color)
      made = Sketchup::Color.new(color)
      name = color.is_a?(String) ? color : format('Color_%02x%02x%02x', *made.to_a.first(3))
      materials[name] || materials.add(name).tap { |material| material.color = made }
    end
  end
end
