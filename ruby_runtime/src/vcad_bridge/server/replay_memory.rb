# frozen_string_literal: true

module Vcad
  module Bridge
    module Server
      # Replies of mutating tools by request_id, so that a request sent twice runs once.
      class ReplayMemory
        SIZE = 256
        SECONDS = 600.0

        Entry = Struct.new(:tool, :member, :value, :at)
        private_constant :Entry

        def initialize(clock:)
          @clock = clock
          @entries = {}
        end

        # @param owner [Array] Session#owner
        # @param member [String] "result" or "error"
        def remember(owner, request_id, tool, member, value)
          forget_old
          @entries.delete([owner, request_id])
          @entries[[owner, request_id]] = Entry.new(tool, member, value, @clock.call)
          @entries.shift while @entries.length > SIZE
        end

        # @return [Entry, nil] with tool, member, value
        def recall(owner, request_id)
          forget_old
          @entries[[owner, request_id]]
        end

        private

        def forget_old
          oldest = @clock.call - SECONDS
          @entries.shift while !@entries.empty? && @entries.first.last.at < oldest
        end
      end
    end
  end
end
