# frozen_string_literal: true

module Vcad
  module Bridge
    module Nodes
      # Whether a definition encloses a volume. The host answers that for instances only.
      module Solidity
        module_function

        # @return [Boolean] as an instance of the definition says, or would say
        def closed?(definition)
          instance = definition.instances.find(&:valid?)
          return instance.manifold? if instance

          edges = definition.entities.grep(Sketchup::Edge)
          !edges.empty? && edges.all? { |edge| edge.faces.length == 2 } && !nested?(definition)
        end

        # @return [Boolean] whether it holds groups or components of its own
        def nested?(definition)
          [Sketchup::Group, Sketchup::ComponentInstance].any? { |kind| definition.entities.grep(kind).any? }
        end
      end
    end
  end
end
