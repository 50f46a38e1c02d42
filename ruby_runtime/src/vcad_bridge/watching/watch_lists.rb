# frozen_string_literal: true

require_relative 'client_presence'
require_relative 'watch_list'

module Vcad
  module Bridge
    module Watching
      # A watch list for each client that names itself, and one for all that do not: what one client watches,
      # polls or stops is no business of another's.
      class WatchLists
        Watcher = Struct.new(:list, :presence)
        private_constant :Watcher

        # @param journal [ModelJournal]
        # @param limit [Integer] ids that may wait to be reported, for each client
        # @param clock [#call] monotonic seconds
        def initialize(journal, limit:, clock:)
          @journal = journal
          @limit = limit
          @clock = clock
          @last_seq = 0
          @watchers = {}
          of(nil)
        end

        # @param client [String, nil] as it names itself
        # @param connection_id [Integer, nil] the connection on which it asks for its list
        # @return [WatchList]
        def of(client, connection_id = nil)
          watcher = @watchers[client] ||= made
          watcher.presence.seen(connection_id) if connection_id
          watcher.list
        end

        # @return [Integer] how many clients have a list, with those that name no name as one
        def length
          @watchers.length
        end

        # A connection was closed.
        def left(connection_id)
          @watchers.each_value { |watcher| watcher.presence.left(connection_id) }
        end

        # To be called now and then. A client that is gone has no list any more; those that have no name
        # connect anew for each call, so theirs only rests.
        def tick
          @watchers.select { |_, watcher| watcher.presence.gone? }.each do |client, watcher|
            client ? drop(client) : watcher.list.release
          end
        end

        # What the block changes in the model is the bridge's own doing, and no client is notified of it.
        def own_change(&change)
          @watchers.values.reduce(change) { |inner, watcher| -> { watcher.list.own_change(&inner) } }.call
        end

        # The bridge put a node into the model as this definition shows it.
        def node_applied(definition)
          @watchers.each_value { |watcher| watcher.list.node_applied(definition) }
        end

        # The bridge removed a node.
        def forget_node(node_id, project_id)
          @watchers.each_value { |watcher| watcher.list.forget_node(node_id, project_id) }
        end

        # No client watches until it starts anew.
        def stop
          @watchers.each_value { |watcher| watcher.list.stop }
          @watchers.keys.compact.each { |client| drop(client) }
        end

        # Stops for good, before a reload or the end.
        def close
          @watchers.each_value { |watcher| watcher.list.close }
          @watchers.clear
        end

        private

        def made
          Watcher.new(WatchList.new(@journal, limit: @limit, after: @last_seq), ClientPresence.new(@clock))
        end

        # One that comes back under the name must hear that it has missed something: numbers never repeat.
        def drop(client)
          list = @watchers.delete(client).list
          @last_seq = [@last_seq, list.seq + 1].max
          list.close
        end
      end
    end
  end
end
