# frozen_string_literal: true

require_relative '../calls/failure'

module Vcad
  module Bridge
    module Nodes
      # Taking a definition out of the model, or saying that the host kept it.
      module DefinitionRemoval
        # Raises OPERATION_FAILED.
        def self.call(model, definition)
          return if model.definitions.remove(definition)

          raise Failure.new('OPERATION_FAILED', 'A definition could not be removed',
                            details: { 'definition_name' => definition.name })
        end
      end
    end
  end
end
