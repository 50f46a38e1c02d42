# frozen_string_literal: true

require 'json'
require 'sketchup'
require 'extensions'

module Vcad
  # Registers the extension; nothing else is loaded while it is disabled.
  module Bridge
    # On Windows Ruby labels the names of source files with the code page, but they are UTF-8.
    folder = File.join(__dir__.dup.force_encoding(Encoding::UTF_8), 'vcad_bridge')
    metadata = JSON.parse(File.read(File.join(folder, 'extension.json'), encoding: 'UTF-8'))
    EXTENSION = SketchupExtension.new(metadata.fetch('name'), File.join(folder, 'main'))
    EXTENSION.description = metadata.fetch('description')
    EXTENSION.version = metadata.fetch('version')
    EXTENSION.creator = metadata.fetch('creator')
    EXTENSION.copyright = metadata.fetch('copyright')
    Sketchup.register_extension(EXTENSION, true)
  end
end
