# frozen_string_literal: true

module Vcad
  module Bridge
    # Entities by number. The host raises RangeError for a number that its own integers do not hold.
    module EntityLookup
      module_function

      # @param id [Integer] entityID
      # @return [Sketchup::Entity, nil]
      def by_id(model, id)
        id.bit_length < 32 ? model.find_entity_by_id(id) : nil
      end

      # @param id [Integer] persistent id
      # @return [Sketchup::Entity, nil]
      def by_persistent_id(model, id)
        id.bit_length < 64 ? model.find_entity_by_persistent_id(id) : nil
      end
    end
  end
end
