# frozen_string_literal: true

require_relative '../nodes/catalog'
require_relative '../nodes/metadata'

module Vcad
  module Bridge
    module Watching
      # The version of each node that the bridge applied last, to notice that a person undid one.
      class AppliedVersions
        # @param queue [ChangeQueue] hears of differences
        def initialize(queue)
          @queue = queue
          clear
        end

        def clear
          @applied = {}
          @reported = {}
        end

        def record(node_id, version)
          @applied[node_id] = version
          @reported.delete(node_id)
        end

        def forget(node_id)
          @applied.delete(node_id)
          @reported.delete(node_id)
        end

        # Takes what stands in the model as applied, for nodes not known yet.
        def adopt(model)
          versions(model).each { |node_id, version| @applied[node_id] ||= version }
        end

        # Tells each difference once.
        def compare(model)
          current = versions(model)
          @applied.each do |node_id, applied|
            version = current[node_id]
            next @reported.delete(node_id) if version == applied
            next if @reported.key?(node_id) && @reported[node_id] == version

            @reported[node_id] = version
            @queue.reverted(node_id, version, applied)
          end
        end

        private

        def versions(model)
          Nodes::Catalog.new(model).all.each_with_object({}) do |definition, found|
            node_id = Nodes::Metadata.node_id(definition)
            found[node_id] = [found[node_id] || 0, Nodes::Metadata.version(definition)].max
          end
        end
      end
    end
  end
end
