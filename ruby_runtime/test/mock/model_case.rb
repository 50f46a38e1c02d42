# frozen_string_literal: true

require 'test_helper'

# A test on an empty document, with a few ways to put something into it.
class ModelCase < Minitest::Test
  def setup
    Headless.reset
    Headless::Observers.reset
    @model = Sketchup::Model.new
  end

  attr_reader :model

  # Corners and faces of a box, the faces looking outward.
  BOX_CORNERS = [0, 1].product([0, 1], [0, 1]).freeze
  BOX_FACES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]].freeze

  # Builds a box from the origin, in inches.
  def build_box(entities, size_x, size_y, size_z, faces: BOX_FACES)
    points = BOX_CORNERS.map { |x, y, z| Geom::Point3d.new(x * size_x, y * size_y, z * size_z) }
    entities.build { |builder| faces.each { |face| builder.add_face(face.map { |index| points[index] }) } }
  end

  def box_definition(name = 'box', size = [1, 2, 3])
    model.definitions.add(name).tap { |definition| build_box(definition.entities, *size) }
  end

  def place(definition, transformation = Geom::Transformation.new, entities: model.entities)
    entities.add_instance(definition, transformation)
  end

  def rotation(degrees)
    Geom::Transformation.rotation([0, 0, 0], [0, 0, 1], degrees.degrees)
  end

  def translation(*vector)
    Geom::Transformation.translation(vector)
  end

  def operation(name = 'Work')
    model.start_operation(name, true)
    yield
    model.commit_operation
  end

  def undo
    model.headless_journal.undo
  end

  def redo!
    model.headless_journal.redo
  end

  def undo_names
    model.headless_journal.undo_names
  end

  def corners(box)
    [box.corner(0), box.corner(7)].map { |point| point.to_a.map(&:to_f) }
  end

  def assert_box(expected_low, expected_high, box)
    expected = [expected_low, expected_high]
    corners(box).flatten.zip(expected.flatten) { |found, wanted| assert_in_delta wanted, found, 1e-9 }
  end

  # All there is to know about the document, as plain values.
  def state
    { definitions: model.definitions.to_a.map { |definition| definition_state(definition) },
      entities: model.entities.to_a.map { |entity| entity_state(entity) }, **appearance,
      selection: model.selection.to_a.map(&:entityID), attributes: model.headless_attributes,
      collapsed: model.headless_collapsed_faces, modified: model.modified? }
  end

  def appearance
    { materials: model.materials.to_a.map { |m| [m.entityID, m.name, m.color.to_a] },
      layers: model.layers.to_a.map { |layer| [layer.entityID, layer.name, layer.visible?] } }
  end

  def definition_state(definition)
    [definition.entityID, definition.persistent_id, definition.name, definition.guid, definition.description,
     definition.headless_attributes, definition.instances.map(&:entityID),
     definition.entities.to_a.map { |entity| entity_state(entity) }]
  end

  def entity_state(entity)
    common = [entity.entityID, entity.persistent_id, entity.typename, entity.layer.name,
              entity.material&.name, entity.hidden?, entity.headless_attributes]
    common + case entity
             when Sketchup::Face then entity.vertices.map { |v| [v.entityID, v.position.to_a.map(&:to_f)] }
             when Sketchup::Edge then [entity.soft?, entity.smooth?, entity.faces.map(&:entityID).sort]
             else [entity.name, entity.locked?, entity.transformation.to_a, entity.definition.entityID]
             end
  end
end
