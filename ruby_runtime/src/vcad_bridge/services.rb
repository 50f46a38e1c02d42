# frozen_string_literal: true

module Vcad
  module Bridge
    # What main.rb builds once and hands to tools and servers.
    #
    # journal: ModelJournal (model_revision, model_epoch) · watch_lists: Watching::WatchLists ·
    # console: ConsoleCapture · clock: callable, monotonic seconds · runtime: start/stop/status/reload
    Services = Struct.new(:settings, :clock, :log, :console, :journal, :watch_lists, :registry, :runtime,
                          :hooks, keyword_init: true)

    # Moments in the servers' life that tools may attend. Blocks must be quick and must not change the model.
    class Hooks
      # disconnected(session): a client that had said hello is gone · tick: after each server tick ·
      # stopping: the servers are about to stop
      MOMENTS = %i[disconnected tick stopping].freeze

      def initialize
        @blocks = MOMENTS.to_h { |moment| [moment, []] }
      end

      def on(moment, &block)
        @blocks.fetch(moment) << block
      end

      def run(moment, *values)
        @blocks.fetch(moment).each { |block| block.call(*values) }
      end
    end
  end
end
