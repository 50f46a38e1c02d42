# frozen_string_literal: true

require_relative '../../calls/failure'
require_relative 'output_files'
require_relative 'pictures/picture'

module Vcad
  module Bridge
    module Tools
      module General
        # Writing the model in another form.
        module Exports
          FOLDER = '.vcad/exports'
          # Extensions by format; the first one is given to new files.
          EXTENSIONS = {
            'skp' => ['.skp'], 'obj' => ['.obj'], 'stl' => ['.stl'], 'dae' => ['.dae'], 'png' => ['.png'],
            'jpg' => ['.jpeg', '.jpg'], 'jpeg' => ['.jpeg', '.jpg']
          }.freeze
          IMAGES = %w[png jpg jpeg].freeze
          SURFACES = { triangulated_faces: true, doublesided_faces: false, edges: false,
                       texture_maps: false }.freeze
          OPTIONS = { 'obj' => SURFACES, 'dae' => SURFACES, 'stl' => { units: 'mm', format: 'ascii' } }.freeze
          REBOUND = 'The model had never been saved; it is now the exported file.'
          REFUSALS = [ArgumentError, TypeError, RuntimeError, IOError, SystemCallError].freeze

          class << self
            def add_to(table, _services)
              table.add('export_scene', effect: :write, slow: true, capability: 'export.dae') do |given, call|
                export(given, call)
              end
            end

            private

            def export(arguments, call)
              format = arguments.one_of('format', EXTENSIONS.keys, default: 'skp')
              size = Picture.size(arguments)
              model = call.model
              path = target(arguments, call, format, model)
              result = { 'success' => true, 'file_path' => path, 'format' => format }
              return result.merge(write_skp(model, path)) if format == 'skp'

              write(model, path, format, size)
              result
            end

            def target(arguments, call, format, model)
              extensions = EXTENSIONS.fetch(format)
              unless arguments.given?('output_path')
                return OutputFiles.fresh(call, FOLDER, stem(model.title), extensions.first)
              end

              path = OutputFiles.given(call, arguments, 'output_path', extensions)
              # The host writes the materials of an .obj beside it.
              call.paths.writable("#{path[0...-4]}.mtl", argument: 'output_path') if format == 'obj'
              path
            end

            def stem(title)
              cleaned = title.scrub('').gsub(/[^\p{L}\p{N}._ -]/, '_').sub(/\A[. ]+/, '')[0, 60].strip
              cleaned.empty? ? 'untitled' : cleaned
            end

            # save would make the export the open document; a document without a path knows no other way.
            def write_skp(model, path)
              fresh = model.path.empty?
              attempt(path) { fresh ? model.save(path) : model.save_copy(path) }
              fresh ? { 'warning' => REBOUND } : {}
            end

            def write(model, path, format, size)
              return Picture.write(model.active_view, path, *size) if IMAGES.include?(format)

              attempt(path) { model.export(path, OPTIONS.fetch(format)) }
            end

            def attempt(path)
              raise failed(path, 'the host wrote nothing') unless yield
            rescue *REFUSALS => e
              raise failed(path, e.message)
            end

            def failed(path, reason)
              Failure.new('EXPORT_FAILED', "#{File.basename(path)} could not be written: #{reason}",
                          details: { 'path' => path, 'reason' => reason })
            end
          end
        end
      end
    end
  end
end
