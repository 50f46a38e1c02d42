# frozen_string_literal: true

require_relative 'vcad/history'
require_relative 'vcad/import_resolution'
require_relative 'vcad/instances'
require_relative 'vcad/nodes'
require_relative 'vcad/observer'

module Vcad
  module Bridge
    module Tools
      # The workbench's own tools: millimetres and degrees, Z up.
      module Vcad
        module_function

        # @param registry [Registry]
        # @param services [Services] journal, watch_lists and hooks are used
        def add_to(registry, services)
          NodeTools.new(services.watch_lists).add_to(registry)
          InstanceTools.new(services.watch_lists).add_to(registry)
          ImportResolution.new.add_to(registry)
          add_observer(registry, services)
          HistoryTools.new(services.journal).add_to(registry)
        end

        def add_observer(registry, services)
          lists = services.watch_lists
          ObserverTools.new(lists).add_to(registry)
          services.hooks&.on(:disconnected) { |session| lists.left(session.connection_id) }
          services.hooks&.on(:tick) { lists.tick }
        end
      end
    end
  end
end
