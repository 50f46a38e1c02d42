# frozen_string_literal: true

require_relative 'calls/console_capture'
require_relative 'log'
require_relative 'model/model_journal'
require_relative 'runtime'
require_relative 'services'
require_relative 'settings'
require_relative 'tools/general'
require_relative 'tools/registry'
require_relative 'tools/vcad'
require_relative 'watching/watch_lists'

module Vcad
  module Bridge
    # Builds the objects and hands them to each other.
    module Assembly
      CLOCK = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }

      # @param extra_tools [Array<#call>] each gets (registry, services)
      # @return [Runtime] not started yet
      def self.runtime(settings: Settings.new, clock: CLOCK, console: ConsoleCapture.new, extra_tools: [],
                       limits: Server::DEFAULT_LIMITS)
        log = Log.new(console: console, verbose: settings.verbose?, silent: settings.silent?)
        services = Services.new(settings: settings, clock: clock, log: log, console: console,
                                hooks: Hooks.new, registry: Tools::Registry.new)
        services.journal = ModelJournal.new(clock: clock)
        services.watch_lists = Watching::WatchLists.new(services.journal, clock:,
                                                                          limit: settings.observer_max_queue)
        services.runtime = Runtime.new(services, limits: limits)
        [Tools::General.method(:add_to), Tools::Vcad.method(:add_to), *extra_tools].each do |add|
          add.call(services.registry, services)
        end
        services.journal.attach(Sketchup.active_model)
        services.runtime
      end
    end
  end
end
