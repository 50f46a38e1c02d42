# frozen_string_literal: true

require_relative '../nodes/catalog'
require_relative '../nodes/metadata'

module Vcad
  module Bridge
    module Watching
      # The version of each node that the bridge applied last, to notice that a person undid one. Two projects
      # may have nodes of one name.
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

        # @param definition [Sketchup::ComponentDefinition] as it stands now
        def record(definition)
          node = key(definition)
          @applied[node] = Nodes::Metadata.version(definition)
          @reported.delete(node)
        end

        # @param project_id [String, nil] whose
        def forget(node_id, project_id)
          @applied.delete([project_id, node_id])
          @reported.delete([project_id, node_id])
        end

        # Takes what stands in the model as applied, for nodes not known yet.
        def adopt(model)
          versions(model).each { |node, version| @applied[node] ||= version }
        end

        # Tells each difference once.
        def compare(model)
          current = versions(model)
          @applied.each do |node, applied|
            version = current[node]
            next @reported.delete(node) if version == applied
            next if @reported.key?(node) && @reported[node] == version

            @reported[node] = version
            @queue.reverted(*node, version, applied)
          end
        end

        private

        def key(definition)
          [Nodes::Metadata.project_id(definition), Nodes::Metadata.node_id(definition)]
        end

        def versions(model)
          Nodes::Catalog.new(model).all.each_with_object({}) do |definition, versions|
            node = key(definition)
            versions[node] = [versions[node] || 0, Nodes::Metadata.version(definition)].max
          end
        end
      end
    end
  end
end
