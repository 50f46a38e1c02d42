# frozen_string_literal: true

# Readers behind Sketchup::DefinitionList#import.

require 'importers/number_lists'
require 'importers/surface'
require 'importers/surface_building'
require 'importers/collada_geometry'
require 'importers/collada_scene'
require 'importers/scene_building'
require 'importers/stl_reading'

module Headless
  # Chooses the reader by the file's extension and builds a definition from what it read. Everything
  # is read before the model is touched.
  module Importers
    # With the first COLLADA only, because it loads RubyGems.
    autoload :XmlDocument, 'importers/xml_document'

    # What a file of the wrong kind is answered with.
    UNSUPPORTED = 'No suitable importer for'

    module_function

    # @param model [Sketchup::Model]
    # @param path [String]
    # @param options [Hash] merge_coplanar_faces, units (STL); string or symbol keys
    # @return [Sketchup::ComponentDefinition, nil] nil when the file holds nothing that can be read
    # @raise [IOError] for a missing file
    # @raise [ArgumentError] for a kind of file that there is no importer for
    def import(model, path, options = {})
      mode = Headless.failures.due('import')
      return nil if %w[nil false].include?(mode)
      raise InjectedFailure, 'The import failed' if mode == 'raise'

      path = File.expand_path(path)
      raise IOError, "File not found: #{path}" unless File.file?(path)
      return Dump.load_definition(model, path) if File.extname(path).downcase == '.skp'

      fill = reader(path, options.transform_keys(&:to_sym))
      fill && build(model, path, fill, partial: mode == 'partial')
    end

    # @return [Proc, nil] what fills a definition with the file's content
    def reader(path, options)
      case File.extname(path).downcase
      when '.dae' then collada(path, options)
      when '.stl' then plain(StlReading.surface(path, Units.inches_in(options[:units])), options)
      else raise ArgumentError, "#{UNSUPPORTED} #{File.basename(path)}"
      end
    rescue XmlDocument::Malformed, ColladaGeometry::Broken
      nil
    end

    def collada(path, options)
      scene = ColladaScene.new(File.read(path, encoding: 'UTF-8'))
      nodes = scene.nodes
      return nil if nodes.all?(&:empty?) || !scene.scale.positive?

      structure = Headless.configuration.dae_structure
      merge = options.fetch(:merge_coplanar_faces, false)
      lambda do |model, definition|
        SceneBuilding.new(model, scene, structure: structure, merge_coplanar: merge).fill(definition, nodes)
      end
    end

    def plain(surface, options)
      return nil if surface.empty?

      merge = options.fetch(:merge_coplanar_faces, false)
      lambda do |_model, definition|
        SurfaceBuilding.new(surface, merge_coplanar: merge).build(definition.entities, {})
      end
    end

    def build(model, path, fill, partial:)
      model.headless_journal.step('Import') do
        name = File.basename(path, '.*')
        definition = model.definitions.headless_add(name, events: Headless.configuration.import_events)
        if partial
          model.materials.add("#{name} material")
          raise InjectedFailure, 'The import failed half way'
        end
        fill.call(model, definition)
        definition
      end
    end
  end
end
