# frozen_string_literal: true

require_relative '../watching/client_presence'
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
        # @param services [Services] journal, watch_list, clock and hooks are used
        def add_to(registry, services)
          NodeTools.new(services.watch_list).add_to(registry)
          InstanceTools.new(services.watch_list).add_to(registry)
          ImportResolution.new.add_to(registry)
          ObserverTools.new(services.watch_list, presence(services)).add_to(registry)
          HistoryTools.new(services.journal).add_to(registry)
        end

        def presence(services)
          presence = Watching::ClientPresence.new(services.watch_list, services.clock)
          services.hooks&.on(:disconnected) { |session| presence.left(session.connection_id) }
          services.hooks&.on(:tick) { presence.tick }
          presence
        end
      end
    end
  end
end
