# frozen_string_literal: true

require_relative '../../calls/failure'
require_relative 'output_files'

module Vcad
  module Bridge
    module Tools
      module General
        # Opening and saving the document.
        module Documents
          REFUSALS = [ArgumentError, TypeError, RuntimeError, IOError, SystemCallError].freeze

          class << self
            def add_to(table, _services)
              table.add('open_model', effect: :write, slow: true, guarded: false) do |arguments, call|
                open_document(arguments, call)
              end
              table.add('save_model', effect: :write, slow: true) { |arguments, call| save(arguments, call) }
            end

            private

            def open_document(arguments, call)
              given = arguments.string('path', default: '')
              return General.negative('INVALID_PARAMS', 'No file path provided') if given.strip.empty?

              path = call.paths.readable(given, argument: 'path')
              return General.negative('INVALID_PARAMS', "File not found: #{given}") unless File.file?(path)

              leave_current(arguments.boolean('discard_changes', default: false))
              load_document(path)
              facts(Sketchup.active_model, path)
            end

            # A modified document would make the host ask a person, and all timers would stop.
            def leave_current(discard)
              model = Sketchup.active_model
              return unless model&.modified?
              return model.close(true) if discard

              raise Failure.new('BUSY', 'The current model has unsaved changes',
                                details: { 'active_model_path' => model.path.empty? ? nil : model.path },
                                hint: 'Call save_model first, or open_model with discard_changes: true.')
            end

            def load_document(path)
              status = Sketchup.open_file(path, with_status: true)
              raise unreadable(path, 'SketchUp refused the file') unless loaded?(status)
            rescue *REFUSALS => e
              raise unreadable(path, e.message)
            end

            def loaded?(status)
              accepted = [Sketchup::Model::LOAD_STATUS_SUCCESS]
              # Saved by a later version than this one, but readable.
              name = :LOAD_STATUS_SUCCESS_MORE_RECENT
              accepted << Sketchup::Model.const_get(name) if Sketchup::Model.const_defined?(name)
              accepted.include?(status)
            end

            def unreadable(path, reason)
              Failure.new('OPERATION_FAILED', "#{File.basename(path)} cannot be opened: #{reason}",
                          details: { 'path' => path, 'reason' => reason })
            end

            def save(arguments, call)
              model = call.model
              path = arguments.given?('path') ? OutputFiles.given(call, arguments, 'path', ['.skp']) : nil
              raise never_saved if path.nil? && model.path.empty?

              write(model, path)
              facts(model, path || model.path)
            end

            def write(model, path)
              saved = path ? model.save(path) : model.save
              raise save_failed(path || model.path, 'the host wrote nothing') unless saved
            rescue *REFUSALS => e
              raise save_failed(path || model.path, e.message)
            end

            def never_saved
              Failure.new('SAVE_FAILED', 'The model has never been saved',
                          details: { 'path' => nil }, hint: 'Give a path ending in .skp below the workspace.')
            end

            def save_failed(path, reason)
              Failure.new('SAVE_FAILED', "#{File.basename(path)} could not be saved: #{reason}",
                          details: { 'path' => path, 'reason' => reason })
            end

            def facts(model, path)
              { 'success' => true, 'file_path' => path, 'file_name' => File.basename(path),
                'title' => model ? model.title : File.basename(path, '.*') }
            end
          end
        end
      end
    end
  end
end
