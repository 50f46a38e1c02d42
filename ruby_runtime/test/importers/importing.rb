# frozen_string_literal: true

require 'test_helper'

# Imports a text as a file, and measures what came of it.
class ImportTest < BridgeTest
  def setup
    super
    @folder = Dir.mktmpdir
    @model = Sketchup.active_model
  end

  def teardown
    FileUtils.remove_entry(@folder)
    super
  end

  private

  def import(content, name: 'part.dae', **options)
    path = File.join(@folder, name)
    File.binwrite(path, content)
    @model.definitions.import(path,
                              { merge_coplanar_faces: true, validate_dae: false,
                                show_summary: false }.merge(options))
  end

  def assert_bounds(low, high, definition)
    box = definition.bounds
    { low => box.min, high => box.max }.each do |expected, corner|
      expected.zip(corner.to_a).each { |wanted, found| assert_in_delta wanted, found.to_mm, 1e-6 }
    end
  end

  # All faces, whatever they are nested in.
  def faces(entities)
    nested = entities.grep(Sketchup::Group) + entities.grep(Sketchup::ComponentInstance)
    entities.grep(Sketchup::Face) + nested.flat_map { |instance| faces(instance.definition.entities) }
  end

  def edges(definition)
    definition.entities.grep(Sketchup::Edge)
  end

  def state
    [@model.definitions.length, @model.materials.length, @model.entities.length]
  end
end
