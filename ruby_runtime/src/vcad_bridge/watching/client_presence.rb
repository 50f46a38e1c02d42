# frozen_string_literal: true

module Vcad
  module Bridge
    module Watching
      # Whether the client that polls is still there. Old clients connect anew for each call, so a client
      # counts as gone only some time after its connection closed.
      class ClientPresence
        PATIENCE = 60.0 # seconds

        # @param clock [#call] monotonic seconds
        def initialize(clock)
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

        # @return [Boolean]
        def gone?
          !@left_at.nil? && @clock.call - @left_at >= PATIENCE
        end
      end
    end
  end
end
