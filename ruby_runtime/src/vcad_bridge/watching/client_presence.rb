# frozen_string_literal: true

module Vcad
  module Bridge
    module Watching
      # Whether the client that polls is still there. Old clients connect anew for each call, so a client
      # counts as gone only some time after its connection closed.
      class ClientPresence
        PATIENCE = 60.0 # seconds

        # @param clock [#call] monotonic seconds
        def initialize(watch_list, clock)
          @watch_list = watch_list
          @clock = clock
          @connection = nil
          @left_at = nil
        end

        # The client asked something about changes.
        def seen(connection_id)
          @connection = connection_id
          @left_at = nil
        end

        # A connection was closed.
        def left(connection_id)
          @left_at = @clock.call if connection_id == @connection
        end

        # To be called now and then.
        def tick
          return unless @left_at && @clock.call - @left_at >= PATIENCE

          @left_at = nil
          @watch_list.release
        end
      end
    end
  end
end
