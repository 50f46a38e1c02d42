# frozen_string_literal: true

require_relative 'version'

module Vcad
  module Bridge
    # Extensions > vcad bridge. Asks Bridge.runtime at each click, so that it survives a reload.
    module Menu
      FIELDS = [['Start with SketchUp', 'autostart'], ['Allow Ruby evaluation', 'allow_eval']].freeze
      ANSWERS = 'Yes|No'

      class << self
        def add
          menu = UI.menu('Extensions').add_submenu(NAME)
          menu.add_item('Start') { start }
          menu.add_item('Stop') { runtime.stop }
          menu.add_item('Status') { UI.messagebox(status_text) }
          menu.add_item('Settings') { ask_settings }
        end

        # @return [String] one fact per line
        def status_text
          status = runtime.status
          lines = ["#{NAME} #{VERSION}", status[:running] ? 'Running' : 'Stopped']
          if status[:running]
            lines << "Bridge port #{status[:bridge_port]}, REPL port #{status[:repl_port] || 'off'}"
            lines << "Clients: #{status[:clients]}"
          end
          lines << "Ruby evaluation: #{status[:allow_eval] ? 'allowed' : 'not allowed'}"
          lines << status[:failure] if status[:failure]
          lines.join("\n")
        end

        private

        def runtime
          Bridge.runtime
        end

        def start
          runtime.start
        rescue ArgumentError, SystemCallError
          UI.messagebox(runtime.failure)
        end

        def ask_settings
          settings = runtime.services.settings
          now = [settings.autostart?, settings.allow_eval?].map { |value| value ? 'Yes' : 'No' }
          answers = UI.inputbox(FIELDS.map(&:first), now, [ANSWERS] * FIELDS.length, NAME)
          return unless answers

          FIELDS.zip(answers) { |(_, key), answer| settings.store(key, answer == 'Yes') }
        end
      end
    end
  end
end
