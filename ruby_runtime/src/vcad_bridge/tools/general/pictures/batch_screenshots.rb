# frozen_string_literal: true

require_relative '../../../calls/arguments'
require_relative '../output_files'
require_relative 'picture'
require_relative 'screenshots'
require_relative 'shot'
require_relative 'view_state'

module Vcad
  module Bridge
    module Tools
      module General
        # Several pictures in one call. No undo step: cameras do not belong in the undo stack.
        module BatchScreenshots
          class << self
            def add_to(table, _services)
              table.add('take_batch_screenshots', effect: :write, slow: true) do |arguments, call|
                take_all(arguments, call)
              end
            end

            private

            def take_all(arguments, call)
              shots = arguments.list('shots', default: [])
              return General.negative('INVALID_PARAMS', 'No shots specified') if shots.empty?

              shots = shots.each_with_index.map do |shot, i|
                Shot.new(Arguments.new(shot, prefix: "shots[#{i}]"), i)
              end
              names = file_names(arguments, shots)
              defaults = read_defaults(arguments)
              keep_camera = arguments.boolean('restore_camera', default: true)
              model = call.model
              folder = target(arguments, call)
              results = with_camera(model.active_view, keep_camera) do
                shots.zip(names).map do |shot, name|
                  take(shot, model, call, File.join(folder, name), defaults)
                end
              end
              summary(results, folder)
            end

            def read_defaults(arguments)
              width, height = Picture.size(arguments)
              { width: width, height: height, transparent: arguments.boolean('transparent', default: false) }
            end

            def file_names(arguments, shots)
              base = arguments.string('base_name', default: 'screenshot', pattern: Shot::NAME)
              shots.each_with_object([]) do |shot, names|
                stem = "#{base}_#{shot.label}"
                number = 1
                name = "#{stem}.png"
                name = "#{stem}-#{number += 1}.png" while names.include?(name)
                names << name
              end
            end

            def target(arguments, call)
              return OutputFiles.folder(call, Screenshots::FOLDER) unless arguments.given?('output_dir')

              call.paths.writable_directory(arguments['output_dir'], argument: 'output_dir')
            end

            def take(shot, model, call, path, defaults)
              path = call.paths.writable(path, argument: 'output_dir')
              shot.take(model, path, defaults)
              { 'success' => true, 'file_path' => path, 'name' => shot.label }
            rescue Failure => e
              { 'success' => false, 'name' => shot.label, 'error' => e.message, 'error_code' => e.error_code }
            rescue ArgumentError, TypeError, RuntimeError => e
              { 'success' => false, 'name' => shot.label, 'error' => e.message,
                'error_code' => 'EXPORT_FAILED' }
            end

            def with_camera(view, keep)
              before = CameraState.new(view.camera)
              yield
            ensure
              view.camera = before.camera if keep && before
            end

            def summary(results, folder)
              failed = results.count { |result| !result['success'] }
              summary = { 'output_dir' => folder, 'total_shots' => results.length,
                          'successful' => results.length - failed, 'failed' => failed, 'results' => results }
              return { 'success' => true }.merge(summary) if failed.zero?

              General.negative('EXPORT_FAILED', "#{failed} of #{results.length} shots failed", **summary)
            end
          end
        end
      end
    end
  end
end
