# frozen_string_literal: true

# What an extension says of itself; `check` loads it, as the Extension Manager does.
class SketchupExtension
  attr_accessor :name, :description, :version, :creator, :copyright
  attr_reader :extension_path

  # @param path [String] of the file to load, with or without `.rb`
  def initialize(name, path)
    @name = name
    @extension_path = path
    @loaded = false
  end

  def id
    name
  end

  def check
    return true if @loaded

    @loaded = true
    Sketchup.require(@extension_path)
    true
  end

  def uncheck
    false
  end

  def loaded?
    @loaded
  end

  def registered?
    Sketchup.extensions.include?(self)
  end

  def load_on_start?
    true
  end
end

# The files that are loaded.
module Headless
  # The files that said `file_loaded`.
  LOADED_FILES = {} # rubocop:disable Style/MutableConstant -- it is the registry
  private_constant :LOADED_FILES

  def self.file_loaded(path)
    LOADED_FILES[path.downcase] = true
  end

  def self.file_loaded?(path)
    LOADED_FILES.key?(path.downcase)
  end
end

def file_loaded(path)
  Headless.file_loaded(path)
end

def file_loaded?(path)
  Headless.file_loaded?(path)
end
