# frozen_string_literal: true

require_relative 'model_case'

# What is left of an erased entity.
class ModelDeletionTest < ModelCase
  def setup
    super
    @instance = place(box_definition)
  end

  def test_an_erased_entity_answers_nothing_but_whether_it_lives
    @instance.erase!

    assert_predicate @instance, :deleted?
    refute_predicate @instance, :valid?
    assert_equal @instance, @instance
    assert_match(/Deleted/, @instance.inspect)
    %i[entityID name definition transformation layer bounds persistent_id model].each do |name|
      error = assert_raises(TypeError, name.to_s) { @instance.public_send(name) }
      assert_equal 'reference to deleted ComponentInstance', error.message
    end
    assert_raises(TypeError) { @instance.name = 'x' }
    assert_raises(TypeError) { @instance.set_attribute('d', 'k', 1) }
  end

  def test_every_public_method_of_a_deleted_face_raises
    face = @instance.definition.entities.grep(Sketchup::Face).first
    face.erase!
    names = [Sketchup::Face, Sketchup::Drawingelement].flat_map { |one| one.public_instance_methods(false) }
    names.reject { |name| name.start_with?('headless_') }.uniq.each do |name|
      parameters = Sketchup::Face.instance_method(name).parameters.count { |kind, _| kind == :req }
      assert_raises(TypeError, name.to_s) { face.public_send(name, *Array.new(parameters)) }
    end
  end

  def test_abort_revives_what_was_erased_and_deletes_what_was_added
    id = @instance.entityID
    pid = @instance.persistent_id
    model.start_operation('Work')
    @instance.erase!
    added = place(model.definitions['box'])
    model.abort_operation

    assert_equal [id, pid], [@instance.entityID, @instance.persistent_id]
    assert_equal [@instance], model.entities.to_a
    assert_predicate added, :deleted?
    assert_same @instance, model.find_entity_by_id(id)
  end

  def test_undo_revives_the_same_object_with_the_same_ids
    id = @instance.entityID
    @instance.erase!

    assert_nil model.find_entity_by_id(id)
    assert undo
    assert_equal id, @instance.entityID
    assert_same @instance, model.find_entity_by_persistent_id(@instance.persistent_id)
    assert redo!
    assert_predicate @instance, :deleted?
  end

  def test_an_edge_takes_its_faces_along_and_a_face_leaves_its_edges
    entities = @instance.definition.entities
    entities.grep(Sketchup::Face).first.erase!

    assert_equal [5, 12], [Sketchup::Face, Sketchup::Edge].map { |kind| entities.grep(kind).size }
    edge = entities.grep(Sketchup::Edge).find { |found| found.faces.size == 2 }
    vertex = edge.start
    edge.erase!

    assert_equal [3, 11], [Sketchup::Face, Sketchup::Edge].map { |kind| entities.grep(kind).size }
    assert_equal 2, vertex.edges.size
  end

  def test_the_last_edge_takes_its_vertices_along
    edge = model.entities.add_line([0, 0, 0], [1, 0, 0])
    vertex = edge.start
    edge.erase!

    assert_predicate vertex, :deleted?
    undo
    assert_equal [edge], vertex.edges
  end

  def test_removing_a_definition_deletes_instances_and_contents
    definition = @instance.definition
    face = definition.entities.grep(Sketchup::Face).first
    before = state
    operation do
      model.definitions.remove(definition)
    end

    assert_equal [true] * 3, [@instance, definition, face].map(&:deleted?)
    assert_empty model.entities.to_a
    assert_raises(TypeError) { definition.entities.size }
    undo
    assert_equal before, state
    assert_predicate @instance, :manifold?
  end

  def test_loops_and_attributes_go_with_their_owner
    face = @instance.definition.entities.grep(Sketchup::Face).first
    face.set_attribute('d', 'k', 1)
    dictionary = face.attribute_dictionary('d')
    loop = face.outer_loop
    face.erase!

    assert_raises(TypeError) { loop.vertices }
    assert_raises(TypeError) { dictionary['k'] }
    undo
    assert_equal 4, loop.vertices.size
    assert_equal 1, dictionary['k']
  end

  def test_selected_entities_leave_the_selection_when_they_go
    model.selection.add(@instance)
    model.start_operation('Work')
    @instance.erase!

    assert_empty model.selection.to_a
    model.abort_operation
    assert_equal [@instance], model.selection.to_a
  end

  def test_a_locked_instance_stays_and_nothing_changes
    @instance.locked = true
    before = state
    @instance.transformation = translation(1, 2, 3)
    @instance.definition = box_definition('other')
    model.definitions.remove(model.definitions['other'])

    assert_equal false, @instance.move!(translation(1, 0, 0))
    assert_equal false, @instance.erase!
    assert_equal before, state
    Headless.configuration.update(lock_mode: 'raise')
    assert_raises(RuntimeError) { @instance.erase! }
    assert_raises(RuntimeError) { @instance.transformation = translation(1, 2, 3) }
  end

  def test_another_thread_is_turned_away
    error = Thread.new do
      @instance.name
    rescue ThreadError => e
      e
    end.value

    assert_kind_of ThreadError, error
  end
end
