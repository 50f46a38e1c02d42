# frozen_string_literal: true

# Writers behind Sketchup::Model#export.

require 'exporters/exported_triangles'
require 'exporters/obj_writing'
require 'exporters/stl_writing'
require 'exporters/collada_writing'

module Headless
  # Chooses the writer by the file's extension. All write triangles, which is what the extension asks for.
  module Exporters
    WRITERS = { '.obj' => ObjWriting, '.stl' => StlWriting, '.dae' => ColladaWriting }.freeze
    # Option names that the host knows. Only `units`, of OBJ and STL, and `selectionset_only` change what is
    # written here; others the host ignores without a word, so they are put on record.
    OPTIONS = {
      '.obj' => %i[units swap_yz triangulated_faces doublesided_faces edges texture_maps selectionset_only
                   show_summary],
      '.stl' => %i[units swap_yz format selectionset_only show_summary],
      '.dae' => %i[triangulated_faces doublesided_faces edges author_attribution hidden_geometry
                   preserve_instancing texture_maps selectionset_only camera_lookat show_summary]
    }.freeze

    module_function

    # @param model [Sketchup::Model]
    # @param path [String]
    # @param options [Hash, Boolean] string or symbol keys; a boolean only asks for a summary
    # @return [Boolean] false when the file cannot be written
    # @raise [ArgumentError] for a kind of file that there is no exporter for
    def export(model, path, options = {})
      mode = Headless.failures.due('export')
      raise InjectedFailure, 'The export failed' if mode == 'raise'
      return false if mode

      kind = File.extname(path).downcase
      writer = WRITERS.fetch(kind) { raise ArgumentError, "No exporter for #{File.basename(path)}" }
      return false unless File.directory?(File.dirname(File.expand_path(path)))

      options = options.is_a?(Hash) ? options.transform_keys(&:to_sym) : {}
      report_unknown(kind, options)
      triangles = ExportedTriangles.of(model, only: options[:selectionset_only] ? model.selection.to_a : nil)
      writer.write(path, triangles, 1 / Units.inches_in(options[:units]))
      true
    end

    def report_unknown(kind, options)
      (options.keys - OPTIONS.fetch(kind)).each do |name|
        Headless.host.gaps.add("Sketchup::Model#export(#{name}:) for #{kind}")
      end
    end

    # @return [String] coordinates as text
    def numbers(xyz)
      xyz.map { |value| format('%.9g', value) }.join(' ')
    end
  end
end
