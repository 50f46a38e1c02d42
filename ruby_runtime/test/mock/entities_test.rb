# frozen_string_literal: true

require_relative 'model_case'

# Collections, lookup, groups and the editing path.
class ModelEntitiesTest < ModelCase
  def test_a_collection_that_is_being_walked_must_not_change
    definition = box_definition
    3.times { place(definition) }

    assert_raises(Headless::MockMutationDuringIteration) { model.entities.each(&:erase!) }
    assert_raises(Headless::MockMutationDuringIteration) { model.entities.each { place(definition) } }
    assert_raises(Headless::MockMutationDuringIteration) do
      model.entities.grep(Sketchup::ComponentInstance) do
        place(definition)
      end
    end
    assert_raises(Headless::MockMutationDuringIteration) do
      model.definitions.each { |found| model.definitions.remove(found) }
    end
    assert_raises(Headless::MockMutationDuringIteration) do
      model.definitions.each do
        model.definitions.add('x')
      end
    end
    assert_equal 3, model.entities.size
    model.entities.to_a.each(&:erase!)
    assert_empty model.entities.to_a
  end

  def test_another_collection_may_change_meanwhile
    definition = box_definition
    definition.entities.each { |_| place(definition) }

    assert_equal 18, model.entities.size
    definition.instances.each(&:erase!)
    assert_equal 0, definition.count_instances
  end

  def test_instances_are_a_new_array_each_time
    definition = box_definition
    place(definition)
    definition.instances.clear

    assert_equal 1, definition.instances.size
  end

  def test_entities_are_found_by_id_and_by_persistent_id
    first = place(box_definition)
    second = place(first.definition)
    gone = place(first.definition)
    id = gone.entityID
    gone.erase!

    assert_same first, model.find_entity_by_id(first.entityID)
    assert_equal [first, nil, second], model.find_entity_by_id(first.entityID, id, second.entityID)
    assert_equal [second], model.find_entity_by_id([second.entityID])
    assert_nil model.find_entity_by_id(id)
    assert_nil model.find_entity_by_id(99_999)
    assert_nil model.find_entity_by_id(-1)
    assert_same second, model.find_entity_by_persistent_id(second.persistent_id)
    assert_same first.definition, model.find_entity_by_id(first.definition.guid)
    assert_raises(TypeError) { model.find_entity_by_id(first.entityID, 'guid') }
  end

  def test_both_kinds_of_ids_differ
    instance = place(box_definition)

    refute_equal instance.entityID, instance.persistent_id
    assert_predicate instance.entityID, :positive?
    [instance.definition, model.layers[0], model.materials.add('m')].each do |one|
      assert_kind_of Integer, one.persistent_id
    end
  end

  def test_two_runs_give_the_same_ids
    runs = Array.new(2) do
      @model = Sketchup::Model.new
      place(box_definition).name = 'x'
      state
    end

    assert_equal runs[0], runs[1]
  end

  def test_names_of_definitions_are_unique
    names = ['part', 'part', 'part', '', ''].map { |name| model.definitions.add(name).name }

    assert_equal ['part', 'part#1', 'part#2', 'Component#1', 'Component#2'], names
    model.definitions['part#1'].name = 'part'
    assert_equal 5, model.definitions.map(&:name).uniq.size
    model.definitions['part'].name = 'scratch'
    model.definitions['part#1'].name = 'part'
    assert_equal 'part', model.definitions['part'].name
  end

  def test_the_guid_changes_with_the_geometry_and_comes_back_with_undo
    definition = box_definition
    before = definition.guid
    definition.name = 'renamed'

    assert_equal before, definition.guid
    definition.entities.add_line([0, 0, 9], [1, 0, 9])
    refute_equal before, definition.guid
    undo
    assert_equal before, definition.guid
  end

  def test_purge_removes_what_is_nowhere_in_the_model
    used = box_definition('used')
    place(used)
    unused = box_definition('unused')
    place(box_definition('inner'), entities: unused.entities)
    model.definitions.purge_unused

    assert_equal [used], model.definitions.to_a
    undo
    assert_equal %w[used unused inner], model.definitions.map(&:name)
  end

  def test_a_group_shares_its_definition_with_copies_until_it_is_unique
    group = model.entities.add_group
    build_box(group.entities, 1, 1, 1)
    copy = group.copy

    assert_predicate group.definition, :group?
    assert_same group.definition, copy.definition
    assert_same group.definition, group.entities.parent
    copy.make_unique
    refute_same group.definition, copy.definition
    copy.entities.clear!
    assert_predicate group, :manifold?
    undo
    undo
    assert_same group.definition, copy.definition
  end

  def test_grouping_keeps_the_identity_of_components
    instance = place(box_definition, rotation(30))
    instance.name = 'kept'
    face = model.entities.add_face([0, 0, 5], [1, 0, 5], [1, 1, 5])
    before = state
    group = model.entities.add_group(instance, face, *face.edges)

    assert_equal [group], model.entities.to_a
    assert_same group.definition, instance.parent
    assert_predicate face, :deleted?
    assert_equal 1, group.entities.grep(Sketchup::Face).size
    undo
    assert_equal before, state
    assert_same model, instance.parent
  end

  def test_a_group_becomes_a_component
    group = model.entities.add_group
    build_box(group.entities, 1, 1, 1)
    group.name = 'north'
    component = group.to_component

    assert_kind_of Sketchup::ComponentInstance, component
    assert_equal 'north', component.name
    assert_predicate group, :deleted?
    refute_predicate component.definition, :group?
    undo
    assert_equal [group], model.entities.to_a
    assert_predicate group.definition, :group?
  end

  def test_explode_puts_the_contents_where_they_were_seen
    inner = box_definition('inner')
    wrapper = model.definitions.add('wrapper')
    nested = place(inner, translation(1, 0, 0), entities: wrapper.entities)
    nested.name = 'nested'
    wrapper.entities.add_face([0, 0, 1], [2, 0, 1], [2, 2, 1]).material = 'red'
    outer = place(wrapper, Geom::Transformation.scaling(2))
    box = corners(model.bounds)
    made = outer.explode

    assert_predicate outer, :deleted?
    assert_equal box, corners(model.bounds)
    assert_equal ['nested'], made.grep(Sketchup::ComponentInstance).map(&:name)
    assert_equal ['red'], made.grep(Sketchup::Face).map { |face| face.material.name }
    undo
    assert_equal [outer], model.entities.to_a
  end

  def test_parents_are_definitions_or_the_model
    shelf = model.definitions.add('shelf')
    inside = place(box_definition, entities: shelf.entities)
    outside = place(shelf)

    assert_same shelf, inside.parent
    assert_same model, outside.parent
    assert_same model, model.layers[0].parent
  end

  def test_while_a_component_is_open_its_contents_speak_world_coordinates
    shelf = model.definitions.add('shelf')
    inside = place(box_definition, translation(1, 0, 0), entities: shelf.entities)
    outside = place(shelf, translation(0, 5, 0))
    model.active_path = [outside]

    assert_same shelf.entities, model.active_entities
    assert_equal [outside], model.active_path
    assert_equal [1.0, 5.0], inside.transformation.to_a.values_at(12, 13)
    inside.transformation = translation(3, 5, 0)
    model.active_path = nil
    assert_nil model.active_path
    assert_equal [3.0, 0.0], inside.transformation.to_a.values_at(12, 13)
    assert_same model.entities, model.active_entities
    assert_predicate model.edit_transform, :identity?
  end

  def test_a_path_must_hang_together
    shelf = model.definitions.add('shelf')
    inside = place(box_definition, entities: shelf.entities)
    outside = place(shelf)

    assert_raises(ArgumentError) { model.active_path = [inside] }
    assert_raises(ArgumentError) { Sketchup::InstancePath.new([inside, outside]) }
    path = Sketchup::InstancePath.new([outside, inside])
    assert_equal "#{outside.persistent_id}.#{inside.persistent_id}", path.persistent_id_path
    model.active_path = path
    assert_equal [outside, inside], model.active_path
  end

  def test_counts_of_nested_definitions_follow_every_path
    box = box_definition
    shelf = model.definitions.add('shelf')
    2.times { place(box, entities: shelf.entities) }

    assert_equal [2, 0], [box.count_instances, box.count_used_instances]
    3.times { place(shelf) }
    assert_equal [2, 6], [box.count_instances, box.count_used_instances]
  end

  def test_entities_of_another_collection_are_not_erased
    face = box_definition.entities.grep(Sketchup::Face).first

    assert_raises(ArgumentError) { model.entities.erase_entities(face) }
  end

  def test_vertices_move_by_vectors
    face = model.entities.add_face([0, 0, 1], [1, 0, 1], [0, 1, 1])
    model.entities.transform_by_vectors([face.vertices.first], [Geom::Vector3d.new(0, 0, 2)])

    assert_in_delta 3.0, face.vertices.first.position.z.to_f
    undo
    assert_in_delta 1.0, face.vertices.first.position.z.to_f
  end
end
