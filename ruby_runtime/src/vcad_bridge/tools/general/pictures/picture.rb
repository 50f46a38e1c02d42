# frozen_string_literal: true

require_relative '../../../calls/failure'

module Vcad
  module Bridge
    module Tools
      module General
        # Writing what a view shows.
        module Picture
          SIDES = (1..16_000)
          WIDTH = 1920
          HEIGHT = 1080

          class << self
            # @return [Array(Integer, Integer)] pixels; raises INVALID_PARAMS
            def size(arguments, width: WIDTH, height: HEIGHT)
              [arguments.integer('width', default: width, range: SIDES),
               arguments.integer('height', default: height, range: SIDES)]
            end

            # Raises Failure EXPORT_FAILED when the host writes nothing.
            def write(view, path, width, height, transparent: false)
              written = view.write_image(filename: path, width: width, height: height, antialias: true,
                                         transparent: transparent)
              raise failed(path, 'the host wrote nothing') unless written
            rescue ArgumentError, TypeError, SystemCallError, IOError => e
              raise failed(path, e.message)
            end

            private

            def failed(path, reason)
              Failure.new('EXPORT_FAILED', "#{File.basename(path)} could not be written: #{reason}",
                          details: { 'path' => path, 'reason' => reason },
                          hint: 'Check the rights of the folder and its space, or ask for a smaller picture.')
            end
          end
        end
      end
    end
  end
end
