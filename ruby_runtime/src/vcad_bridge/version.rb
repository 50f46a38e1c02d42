# frozen_string_literal: true

require 'json'

module Vcad
  # The SketchUp extension that lets a vcad workbench see and change the model.
  module Bridge
    # UTF-8, whatever Ruby says on Windows.
    FOLDER = __dir__.dup.force_encoding(Encoding::UTF_8).freeze
    METADATA = JSON.parse(File.read(File.join(FOLDER, 'extension.json'), encoding: 'UTF-8')).freeze
    NAME = METADATA.fetch('name').freeze
    VERSION = METADATA.fetch('version').freeze
  end
end
