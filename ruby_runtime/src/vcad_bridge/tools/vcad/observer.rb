# frozen_string_literal: true

module Vcad
  module Bridge
    module Tools
      module Vcad
        # vcad.observer_*: what a person changed in SketchUp, asked for by polling.
        class ObserverTools
          # @param watch_list [Watching::WatchList]
          # @param presence [Watching::ClientPresence]
          def initialize(watch_list, presence)
            @watch_list = watch_list
            @presence = presence
          end

          def add_to(registry)
            observer = { effect: :control, capability: 'vcad.observer' }
            registry.add('vcad.observer_start', **observer) { |_arguments, call| start(call) }
            registry.add('vcad.observer_stop', **observer) { stop }
            registry.add('vcad.observer_poll', **observer) { |arguments, call| poll(arguments, call) }
            registry.add('vcad.observer_watch', effect: :control,
                                                capability: 'vcad.observer.watch') do |a, call|
              watch(a,
                    call)
            end
          end

          private

          def start(call)
            call.model
            @presence.seen(call.connection_id)
            started = @watch_list.start
            { 'success' => true, 'status' => started ? 'started' : 'already_running',
              'message' => started ? 'Observer started' : 'Observer is running already' }
          end

          def stop
            stopped = @watch_list.stop
            { 'success' => true, 'status' => stopped ? 'stopped' : 'not_running',
              'message' => stopped ? 'Observer stopped' : 'Observer was not running' }
          end

          def poll(arguments, call)
            @presence.seen(call.connection_id)
            @watch_list.poll(ack: arguments.integer('ack', default: nil, range: 0..))
          end

          def watch(arguments, call)
            @presence.seen(call.connection_id)
            missing = @watch_list.watch(call.model,
                                        entity_ids: arguments.integers('entity_ids', default: []),
                                        persistent_ids: arguments.integers('persistent_ids', default: []))
            { 'success' => true, 'watching' => @watch_list.length, 'missing' => missing }
          end
        end
      end
    end
  end
end
