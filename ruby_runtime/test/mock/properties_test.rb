# frozen_string_literal: true

require_relative 'model_case'

# Attributes, layers, materials, colours, options, scenes.
class ModelPropertiesTest < ModelCase
  def test_attributes_keep_values_not_objects
    instance = place(box_definition)
    text = +'text'
    instance.set_attribute('vcad', 'node_id', text)
    text << ' changed'

    assert_equal 'text', instance.get_attribute('vcad', 'node_id')
    instance.get_attribute('vcad', 'node_id') << '!'
    assert_equal 'text', instance.get_attribute('vcad', 'node_id')
    assert_equal 5, instance.get_attribute('vcad', 'missing', 5)
    assert_nil instance.get_attribute('none', 'key')
    assert_equal ['vcad'], instance.attribute_dictionaries.map(&:name)
  end

  def test_what_cannot_be_stored_is_refused
    [{ a: 1 }, :symbol, Object.new, [[:nested]]].each do |value|
      assert_raises(ArgumentError) { model.set_attribute('d', 'k', value) }
    end
    assert_nil model.get_attribute('d', 'k')
  end

  def test_attributes_are_deleted_one_by_one_or_all
    definition = box_definition
    definition.set_attribute('d', 'one', 1)
    definition.set_attribute('d', 'two', 2)

    assert definition.delete_attribute('d', 'one')
    refute definition.delete_attribute('d', 'one')
    assert_equal %w[two], definition.attribute_dictionary('d').keys
    assert definition.delete_attribute('d')
    assert_nil definition.attribute_dictionary('d')
    undo
    assert_equal 2, definition.get_attribute('d', 'two')
  end

  def test_dictionaries_of_the_host_are_kept_from_harm
    definition = box_definition
    definition.set_attribute('SU_DefinitionSet', 'Price', '5')

    assert_raises(ArgumentError) { definition.delete_attribute('SU_DefinitionSet') }
    assert_raises(ArgumentError) { definition.set_attribute('GSU_ContributorsInfo', 'k', 1) }
    assert_equal ['SU_DefinitionSet'], definition.attribute_dictionaries.map(&:name)
  end

  def test_the_first_layer_is_always_there
    first = model.layers[0]

    assert_equal %w[Layer0 Untagged], [first.name, first.display_name]
    assert_same first, model.layers['Layer0']
    assert_same first, model.layers['Untagged']
    assert_raises(ArgumentError) { model.layers.remove(first) }
    assert_raises(ArgumentError) { first.name = 'walls' }
    assert_same model.layers.add('walls'), model.layers.add('walls')
    assert_equal 2, model.layers.size
  end

  def test_what_lies_on_a_removed_layer_goes_to_the_first
    instance = place(box_definition)
    instance.layer = model.layers.add('walls')

    assert_equal 'walls', instance.layer.name
    model.layers.remove('walls')
    assert_equal 'Layer0', instance.layer.name
    undo
    assert_equal 'walls', instance.layer.name
    assert_raises(ArgumentError) { instance.layer = 'none' }
  end

  def test_materials_are_unique_and_leave_what_they_paint
    paint = model.materials.add('paint')
    instance = place(box_definition)
    instance.material = 'paint'

    assert_equal 'paint1', model.materials.add('paint').name
    assert_same paint, instance.material
    model.materials.remove(paint)
    assert_nil instance.material
    assert_raises(TypeError) { paint.name }
    assert_raises(ArgumentError) { instance.material = 'no such thing' }
    instance.material = 'red'
    assert_equal [255, 0, 0, 255], instance.material.color.to_a
    instance.material = nil
    assert_nil instance.material
  end

  def test_colours_come_in_many_forms
    forms = [[255, 0, 0], ['red'], ['#ff0000'], [[255, 0, 0]], [255], [1.0, 0.0, 0.0],
             [Sketchup::Color.new('Red')]]

    forms.each do |arguments|
      assert_equal [255, 0, 0, 255], Sketchup::Color.new(*arguments).to_a, arguments.inspect
    end
    assert_raises(ArgumentError) { Sketchup::Color.new('nocolour') }
    color = Sketchup::Color.new('#336699')
    assert_equal [51, 102, 153], [color.red, color.green, color.blue]
  end

  def test_options_are_there_by_name
    units = model.options['UnitsOptions']

    assert_equal 2, units['LengthUnit']
    units['LengthUnit'] = 5
    assert_equal 5, model.options['UnitsOptions']['LengthUnit']
    assert_raises(ArgumentError) { units['NoSuchOption'] = 1 }
    assert_nil model.options['NoOptions']
    assert_equal [:yard, 1], model.headless_display_units
    refute model.rendering_options['InactiveHidden']
    model.rendering_options['InactiveHidden'] = true
    assert model.rendering_options['InactiveHidden']
  end

  def test_scenes_come_and_go
    page = model.pages.add('front')

    assert_equal ['front'], model.pages.map(&:name)
    model.pages.erase(page)
    assert_empty model.pages.to_a
    undo
    assert_same page, model.pages['front']
  end

  def test_behaviour_of_a_definition
    behavior = box_definition.behavior
    behavior.always_face_camera = true
    behavior.snapto = 2

    assert_predicate behavior, :always_face_camera?
    assert_equal 2, behavior.snapto
    undo
    assert_equal 0, behavior.snapto
  end

  def test_an_unsaved_model_cannot_be_saved_without_a_path
    assert_raises(ArgumentError) { model.save }
    assert_raises(ArgumentError) { model.save_copy('copy.skp') }
    assert_equal ['', ''], [model.path, model.title]
  end

  def test_the_api_lacks_what_sketchup_lacks
    group = model.entities.add_group
    absent = { model.entities => %i[manifold? find_entity_by_id valid?],
               group.definition => %i[manifold? definition],
               model => %i[undo redo typename], group => %i[definition=] }
    absent.each { |object, names| names.each { |name| refute_respond_to object, name } }
    assert_raises(NoMethodError) { model.undo }
  end

  def test_sketchup_undo_works_on_the_active_model
    active = Headless.reset
    active.materials.add('paint')

    Sketchup.undo
    assert_empty active.materials.to_a
    Sketchup.redo
    assert_equal 1, active.materials.size
  end

  def test_a_reset_takes_less_than_five_milliseconds
    20.times { Headless.reset }
    started = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    20.times { Headless.reset }

    assert_operator (Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - started) / 20, :<, 0.005
  end
end
