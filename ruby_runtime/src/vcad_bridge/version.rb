# frozen_string_literal: true

require 'json'

module Vcad
  # The SketchUp extension that lets a vcad workbench see and change the model.
  module Bridge
    METADATA = JSON.parse(File.read(File.join(__dir__, 'extension.json'), encoding: 'UTF-8')).freeze
    NAME = METADATA.fetch('name').freeze
    VERSION = METADATA.fetch('version').freeze
  end
end
