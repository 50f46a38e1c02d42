# frozen_string_literal: true

require 'json'
require 'digest'
require 'dump/values'
require 'dump/writing'
require 'dump/reading'

module Headless
  # Models as files. The first line says what it is; the rest is JSON with sorted keys and rows sorted by
  # persistent id, so that equal models are equal bytes. Lengths are inches, as inside.
  module Dump
    MAGIC = 'MOCKSKP1'
    FORMAT = 1

    # The file is missing, or none that `write` made.
    class Unreadable < IOError
    end

    module_function

    # @param model [Sketchup::Model]
    # @return [String] the JSON alone: equal for equal models, ids of the session not included
    def canonical(model)
      "#{JSON.generate(sorted(Writing.new(model).contents))}\n"
    end

    # The model becomes the document of that file.
    # @return [Boolean] false when the file cannot be written
    def save(model, path, version = nil)
      Observers.notify(model, :onPreSaveModel, model)
      return false unless save_copy(model, path, version)

      model.headless_mark_saved(path)
      %i[onPostSaveModel onSaveModel].each { |callback| Observers.notify(model, callback, model) }
      true
    end

    # @return [Boolean] false when the file cannot be written
    def save_copy(model, path, _version = nil)
      case Headless.failures.due('save')
      when nil then write(path, canonical(model))
      when 'raise' then Headless.failures.raise_injected('save')
      else return false
      end
      true
    rescue SystemCallError
      false
    end

    # Writes a component as a model of its own.
    # @return [Boolean] false when the file cannot be written
    def save_definition(definition, path)
      contents = Writing.new(definition.model).contents_of(definition)
      write(path, "#{JSON.generate(sorted(contents))}\n")
      true
    rescue SystemCallError
      false
    end

    # Writes a file in one step: a reader sees the old one or the new one.
    def write(path, text)
      scratch = "#{path}.#{Process.pid}.part"
      File.write(scratch, "#{MAGIC}\n#{text}", encoding: 'UTF-8')
      File.rename(scratch, path)
    ensure
      File.delete(scratch) if scratch && File.exist?(scratch)
    end
    private_class_method :write

    # @return [Hash] the contents
    # @raise [Unreadable]
    def read(path)
      first, rest = File.binread(path).split("\n", 2)
      raise Unreadable, "#{path} is no model of the headless SketchUp" unless first == MAGIC

      contents = JSON.parse(rest.force_encoding(Encoding::UTF_8))
      return contents if contents.is_a?(Hash) && contents['format'] == FORMAT

      raise Unreadable, "#{path} has another format"
    rescue SystemCallError, JSON::ParserError => e
      raise Unreadable, "cannot read #{path}: #{e.message}"
    end

    # Fills an empty model; persistent ids are kept.
    def load_into(model, contents, path:)
      Reading.new(model, contents).whole
      model.headless_journal.forget
      model.headless_mark_saved(path)
      model
    end

    # Adds a file's model to another as one definition, with all definitions it needs; ids are new.
    # @return [Sketchup::ComponentDefinition]
    # @raise [Unreadable]
    def load_definition(model, path, _allow_newer = false) # rubocop:disable Style/OptionalBooleanParameter
      Reading.new(model, read(path)).as_definition(File.basename(path, '.*'))
    end

    def sorted(value)
      case value
      when Hash then value.sort.to_h.transform_values { |inner| sorted(inner) }
      when Array then value.map { |inner| sorted(inner) }
      else value
      end
    end
  end
end
