# frozen_string_literal: true

require_relative '../../version'

module Vcad
  module Bridge
    module Tools
      module General
        # Is anybody there, and where does its output go?
        module Status
          class << self
            def add_to(table, services)
              table.add('ping', effect: :read, guarded: false) { |_, _| ping(services) }
              table.add('console_capture_status', effect: :read, guarded: false) do |_, _|
                capture(services.console)
              end
              table.add('reload_extension', effect: :control, guarded: false) do |_, _|
                reload(services.runtime)
              end
            end

            private

            def ping(services)
              { 'success' => true, 'status' => 'connected', 'message' => 'SketchUp is connected',
                'version' => VERSION, 'sketchup_version' => Sketchup.version,
                'model_revision' => services.journal.model_revision,
                'model_epoch' => services.journal.model_epoch }
            end

            def capture(console)
              message = console.capturing? ? "Output goes to #{console.log_file}" : 'Nothing is captured'
              { 'success' => true, 'capturing' => console.capturing?, 'log_file' => console.log_file,
                'message' => message }
            end

            def reload(runtime)
              runtime.soon { Bridge.reload }
              { 'success' => true, 'message' => 'The extension is loaded again; connect anew in a moment' }
            end
          end
        end
      end
    end
  end
end
