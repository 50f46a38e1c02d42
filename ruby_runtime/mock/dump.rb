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
    class Unreadable < StandardError
    end

    module_function

    # @param model [Sketchup::Model]
    # @return [String] the JSON alone: equal for equal models, ids of the session not included
    def canonical(model)
      "#{JSON.generate(sorted(Writing.new(model).contents))}\n"
    end

    # Writes a file in one step: a reader sees the old one or the new one.
    # @raise [SystemCallError]
    def write(model, path)
      scratch = "#{path}.#{Process.pid}.part"
      File.write(scratch, "#{MAGIC}\n#{canonical(model)}", encoding: 'UTF-8')
      File.rename(scratch, path)
    ensure
      File.delete(scratch) if scratch && File.exist?(scratch)
    end

    # @return [Hash] the contents
    # @raise [Unreadable]
    def read(path)
      first, rest = File.read(path, encoding: 'UTF-8').split("\n", 2)
      raise Unreadable, "#{path} is no model of the headless SketchUp" unless first == MAGIC

      contents = JSON.parse(rest)
      raise Unreadable, "#{path} has another format" unless contents['format'] == FORMAT

      contents
    rescue SystemCallError, JSON::ParserError => error
      raise Unreadable, "cannot read #{path}: #{error.message}"
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
    def load_definition(model, path)
      Reading.new(model, read(path)).as_definition(File.basename(path, '.*'))
    end

    def sorted(value)
      case value
      when Hash then value.sort.to_h { |key, inner| [key, sorted(inner)] }
      when Array then value.map { |inner| sorted(inner) }
      else value
      end
    end
  end
end
