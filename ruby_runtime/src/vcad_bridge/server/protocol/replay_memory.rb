# frozen_string_literal: true

module Vcad
  module Bridge
    module Server
      # Replies of mutating tools by request_id, so that a request sent twice runs once.
      class ReplayMemory
        SIZE = 256
        SECONDS = 600.0
        # Of long texts, all replies together.
        BYTES = 67_108_864

        Entry = Struct.new(:tool, :member, :value, :at, :bytes)
        private_constant :Entry

        def initialize(clock:)
          @clock = clock
          @entries = {}
          @bytes = 0
        end

        # @param owner [Array] Session#owner
        # @param member [String] "result" or "error"
        def remember(owner, request_id, tool, member, value)
          forget_old
          forget([owner, request_id])
          entry = Entry.new(tool, member, value, @clock.call, size(value))
          @entries[[owner, request_id]] = entry
          @bytes += entry.bytes
          forget(@entries.first.first) while @entries.length > SIZE || (@bytes > BYTES && @entries.length > 1)
        end

        # @return [Entry, nil] with tool, member, value
        def recall(owner, request_id)
          forget_old
          @entries[[owner, request_id]]
        end

        private

        def forget_old
          oldest = @clock.call - SECONDS
          forget(@entries.first.first) while !@entries.empty? && @entries.first.last.at < oldest
        end

        def forget(key)
          entry = @entries.delete(key)
          @bytes -= entry.bytes if entry
        end

        # @return [Integer] what can be long about a reply
        def size(value)
          texts = value.is_a?(Hash) ? value.values.grep(String) : []
          texts.sum(&:bytesize)
        end
      end
    end
  end
end
