# frozen_string_literal: true

require 'json'

# Scripted conversations with the bridge: tests/contracts/bridge/*.json, which pytest plays as well.
# What steps and patterns mean stands in tests/contracts/bridge_cases.py.
module Contracts
  FOLDER = File.expand_path('../../../tests/contracts/bridge', __dir__)
  FILES = File.join(FOLDER, 'files')

  # One case of a file.
  Story = Struct.new(:file, :name, :server, :files, :says_hello, :steps, keyword_init: true) do
    def to_s
      "#{file}: #{name}"
    end
  end

  # @return [Array<Story>] of all files
  def self.stories
    Dir[File.join(FOLDER, '*.json')].flat_map do |path|
      JSON.parse(File.read(path, encoding: 'UTF-8'))['cases'].map do |row|
        Story.new(file: File.basename(path, '.json'), name: row['name'], server: row.fetch('server', {}),
                  files: row.fetch('files', []), says_hello: row.fetch('hello', true), steps: row['steps'])
      end
    end
  end
end
