# frozen_string_literal: true

require 'edit_path'
require 'model_lookup'

module Sketchup
  # One document.
  class Model
    include Headless::Observable
    include Headless::Attributed
    include Headless::EditPath
    include Headless::ModelLookup

    LOAD_STATUS_SUCCESS = 0
    LOAD_STATUS_SUCCESS_MORE_RECENT = 1
    VERSION_2021 = 21
    VERSION_2024 = 24
    VERSION_2026 = 26

    # An empty document that was never saved.
    def initialize
      headless_clear
    end

    def title
      @path.empty? ? @title.dup : File.basename(@path, '.*')
    end

    # @return [String] empty before the first save
    def path
      @path.dup
    end

    def guid
      Headless::Guids.of('model', @path, @saves)
    end

    def name
      @name.dup
    end

    def name=(name)
      headless_journal.assign(self, :@name, name.to_s.dup.freeze)
    end

    def description
      @description.dup
    end

    def description=(text)
      headless_journal.assign(self, :@description, text.to_s.dup.freeze)
    end

    def modified?
      @modified
    end

    def valid?
      !@deleted
    end

    def inspect
      "#<#{self.class.name}:#{title}>"
    end

    # Readers of what a document consists of.
    attr_reader :entities, :definitions, :layers, :materials, :selection, :pages, :options, :rendering_options

    # @return [Sketchup::View]
    def active_view
      @active_view ||= View.new(self)
    end

    # @return [Sketchup::Layer] what new entities lie on
    def active_layer
      @active_layer&.valid? ? @active_layer : headless_default_layer
    end

    def active_layer=(layer)
      @active_layer = headless_layer(layer)
    end

    # @return [Geom::BoundingBox]
    def bounds
      Headless::Extents.to_box(Headless::Extents.of_entities(@entities))
    end

    # Begins one undo step. One that is open is committed first.
    # @return [Boolean]
    def start_operation(name, _disable_ui = false, next_transparent = false, transparent = false) # rubocop:disable Style/OptionalBooleanParameter
      headless_journal.start(name, next_transparent: next_transparent, transparent: transparent)
    end

    # @return [Boolean] false when no operation is open
    def commit_operation
      headless_journal.commit
    end

    # Takes everything back since the start.
    # @return [Boolean] false when no operation is open
    def abort_operation
      headless_journal.abort
    end

    # @param path [String, nil] the document's own when nil
    # @return [Boolean]
    # @raise [ArgumentError] when the document has no path and none is given
    def save(path = nil, version = VERSION_2026)
      raise ArgumentError, 'the model has no path yet' if path.nil? && @path.empty?

      Headless::Dump.save(self, File.expand_path(path || @path), version)
    end

    # Writes another file and stays with its own.
    # @return [Boolean]
    # @raise [ArgumentError] when the document was never saved
    def save_copy(path, version = VERSION_2026)
      raise ArgumentError, 'a model that was never saved cannot save a copy' if @path.empty?

      Headless::Dump.save_copy(self, File.expand_path(path), version)
    end

    # @param options [Hash, Boolean] of the exporter
    # @return [Boolean]
    # @raise [ArgumentError] for a format that cannot be written
    def export(path, options = {})
      Headless::Exporters.export(self, path, options)
    end

    # Reads a file into a component that is placed at the origin.
    # @return [Boolean]
    def import(path, options = {})
      definition = definitions.import(path, options.is_a?(Hash) ? options : {})
      return false unless definition

      !active_entities.add_instance(definition, Geom::Transformation.new).nil?
    end

    # Closes the document; unsaved changes ask the user first, unless they are to be lost.
    def close(ignore_changes = false) # rubocop:disable Style/OptionalBooleanParameter -- the host's
      Headless.host.documents.close(self, ignore_changes: ignore_changes)
    end

    # @return [Integer]
    def number_faces
      headless_every_element.grep(Face).size
    end

    attr_reader :headless_journal, :headless_identities

    # Makes this an empty document, in place.
    def headless_clear
      @title = ''
      @path = ''
      @name = ''
      @description = ''
      @modified = false
      @deleted = nil
      @saves = 0
      @tick = 0
      @collapsed_faces = 0
      @edit_path = nil
      @active_layer = nil
      @active_view = nil
      @dictionaries = nil
      @attribute_dictionaries = nil
      @observers = nil
      headless_begin
      self
    end

    # Number of faces that vanished because their corners were welded.
    def headless_collapsed_faces
      @collapsed_faces
    end

    def headless_title=(title)
      @title = title.dup
    end

    def headless_path=(path)
      @path = path.dup
    end

    def headless_modified=(value)
      @modified = value
    end

    # After the document was written to a file.
    def headless_mark_saved(path)
      @path = path.dup
      @saves += 1
      @modified = false
    end

    # The document is gone; references to it are dead.
    def headless_close
      @deleted = true
      headless_journal.forget
    end

    def headless_next_tick
      @tick += 1
    end

    def headless_model
      self
    end

    def headless_change_events
      []
    end

    # @return [Sketchup::Camera] a copy of the view's
    def headless_camera
      active_view.camera.dup
    end

    # What lengths are displayed in.
    # @return [Array(Symbol, Integer)] unit and decimals
    def headless_display_units
      units = @options['UnitsOptions']
      [Headless::Units::BY_OPTION.fetch(units['LengthUnit']), units['LengthPrecision']]
    end

    private

    def headless_begin
      @headless_identities = Headless::Identities.new
      @headless_journal = Headless::Journal.new(self)
      @definitions = DefinitionList.new(self)
      @layers = Layers.new(self)
      @materials = Materials.new(self)
      @pages = Pages.new(self)
      @entities = Entities.new(self, nil)
      @selection = Selection.new(self)
      @options = OptionsManager.new
      @rendering_options = RenderingOptions.new(self)
    end
  end
end
