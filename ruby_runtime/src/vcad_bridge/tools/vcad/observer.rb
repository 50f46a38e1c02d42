# frozen_string_literal: true

module Vcad
  module Bridge
    module Tools
      module Vcad
        # vcad.observer_*: what a person changed in SketchUp, asked for by polling. `client` says whose
        # list is meant.
        class ObserverTools
          # @param watch_lists [Watching::WatchLists]
          def initialize(watch_lists)
            @watch_lists = watch_lists
          end

          def add_to(registry)
            observer = { effect: :control, capability: 'vcad.observer' }
            registry.add('vcad.observer_start', **observer) { |arguments, call| start(arguments, call) }
            registry.add('vcad.observer_stop', **observer) { |arguments, call| stop(arguments, call) }
            registry.add('vcad.observer_poll', **observer) { |arguments, call| poll(arguments, call) }
            registry.add('vcad.observer_watch', effect: :control,
                                                capability: 'vcad.observer.watch') do |a, call|
              watch(a,
                    call)
            end
          end

          private

          def list_of(arguments, call)
            client = arguments.string('client', default: nil, max: 100, empty: false)
            @watch_lists.of(client, call.connection_id)
          end

          def start(arguments, call)
            call.model
            started = list_of(arguments, call).start
            { 'success' => true, 'status' => started ? 'started' : 'already_running',
              'message' => started ? 'Observer started' : 'Observer is running already' }
          end

          def stop(arguments, call)
            stopped = list_of(arguments, call).stop
            { 'success' => true, 'status' => stopped ? 'stopped' : 'not_running',
              'message' => stopped ? 'Observer stopped' : 'Observer was not running' }
          end

          def poll(arguments, call)
            list_of(arguments, call).poll(ack: arguments.integer('ack', default: nil, range: 0..))
          end

          def watch(arguments, call)
            list = list_of(arguments, call)
            missing = list.watch(call.model,
                                 entity_ids: arguments.integers('entity_ids', default: []),
                                 persistent_ids: arguments.integers('persistent_ids', default: []))
            { 'success' => true, 'watching' => list.length, 'missing' => missing }
          end
        end
      end
    end
  end
end
