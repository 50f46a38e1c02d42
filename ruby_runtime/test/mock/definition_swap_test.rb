# frozen_string_literal: true

require_relative 'model_case'

# `definition=` changes what is shown and nothing else.
class ModelDefinitionSwapTest < ModelCase
  def setup
    super
    @old = box_definition('old')
    @new = box_definition('new', [4, 4, 4])
    @instance = place(@old, rotation(30))
    dress(@instance)
  end

  def dress(instance)
    instance.layer = model.layers.add('walls')
    instance.material = model.materials.add('paint')
    instance.name = 'north'
    instance.set_attribute('d', 'k', 7)
    instance.casts_shadows = false
    instance.receives_shadows = false
    instance.hidden = true
  end

  def properties(instance)
    { id: instance.entityID, pid: instance.persistent_id, place: instance.transformation.to_a,
      layer: instance.layer, material: instance.material, name: instance.name,
      attribute: instance.get_attribute('d', 'k'),
      shadows: [instance.casts_shadows?, instance.receives_shadows?],
      visible: instance.visible?, locked: instance.locked?, guid: instance.guid,
      parent: instance.parent }
  end

  def test_everything_but_the_definition_stays
    before = properties(@instance)
    @instance.definition = @new

    assert_equal before, properties(@instance)
    assert_same @new, @instance.definition
    assert_equal [[], [@instance]], [@old.instances, @new.instances]
    undo
    assert_equal before, properties(@instance)
    assert_equal [[@instance], []], [@old.instances, @new.instances]
  end

  def test_a_lock_survives_unlock_swap_lock
    @instance.locked = true
    operation do
      @instance.locked = false
      @instance.definition = @new
      @instance.locked = true
    end

    assert_predicate @instance, :locked?
    assert_same @new, @instance.definition
  end

  def test_nested_instances_swap_wherever_they_are
    group = model.entities.add_group
    in_group = place(@old, translation(1, 0, 0), entities: group.entities)
    shelf = model.definitions.add('shelf')
    in_shelf = place(@old, translation(0, 1, 0), entities: shelf.entities)
    2.times { |number| place(shelf, translation(number * 10, 0, 0)) }
    operation { @old.instances.each { |instance| instance.definition = @new } }

    assert_equal [@instance, in_group, in_shelf], @new.instances
    assert_equal [group.definition, shelf], [in_group.parent, in_shelf.parent]
    assert_equal [3, 4], [@new.count_instances, @new.count_used_instances]
    assert_in_delta 4.0, shelf.bounds.width.to_f
  end

  def test_order_of_instances_returns_with_undo
    others = Array.new(3) { place(@old) }
    operation { [others[1], @instance].each { |instance| instance.definition = @new } }
    undo

    assert_equal [@instance, *others], @old.instances
  end

  def test_a_definition_cannot_contain_itself
    place(@old, entities: @new.entities)

    assert_raises(ArgumentError) { @old.entities.add_instance(@old, Geom::Transformation.new) }
    assert_raises(ArgumentError) { @old.entities.add_instance(@new, Geom::Transformation.new) }
    inner = place(box_definition('third'), entities: @old.entities)
    assert_raises(ArgumentError) { inner.definition = @new }
  end

  def test_an_instance_on_the_active_path_refuses
    model.active_path = [@instance]

    assert_raises(ArgumentError) { @instance.definition = @new }
    assert_raises(ArgumentError) { @instance.erase! }
    assert_raises(ArgumentError) { model.definitions.remove(@old) }
    model.active_path = nil
    @instance.definition = @new
    assert_same @new, @instance.definition
  end

  def test_an_ordered_failure_leaves_the_definition
    Headless.failures.order('definition_set', 'raise')

    assert_raises(Headless::InjectedFailure) { @instance.definition = @new }
    assert_same @old, @instance.definition
  end

  def test_groups_have_no_definition_writer
    group = model.entities.add_group

    refute_respond_to group, :definition=
    assert_kind_of NoMethodError, assert_raises(NoMethodError) { group.public_send(:definition=, @new) }
  end
end
