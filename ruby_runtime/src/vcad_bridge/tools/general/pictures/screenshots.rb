# frozen_string_literal: true

require_relative '../output_files'
require_relative 'picture'

module Vcad
  module Bridge
    module Tools
      module General
        # One picture of the view as it is.
        module Screenshots
          FOLDER = '.vcad/shots'

          class << self
            def add_to(table, _services)
              table.add('take_screenshot', effect: :write, slow: true) do |arguments, call|
                take(arguments, call)
              end
            end

            private

            def take(arguments, call)
              model = call.model
              width, height = Picture.size(arguments)
              transparent = arguments.boolean('transparent', default: false)
              path = target(arguments, call)
              Picture.write(model.active_view, path, width, height, transparent: transparent)
              { 'success' => true, 'file_path' => path, 'file_name' => File.basename(path), 'width' => width,
                'height' => height, 'format' => 'png', 'message' => "Saved #{File.basename(path)}" }
            end

            def target(arguments, call)
              if arguments.given?('output_path')
                OutputFiles.given(call, arguments, 'output_path', ['.png'])
              else
                OutputFiles.fresh(call, FOLDER, 'screenshot', '.png')
              end
            end
          end
        end
      end
    end
  end
end
