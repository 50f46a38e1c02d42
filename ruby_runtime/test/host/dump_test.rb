# frozen_string_literal: true

require 'test_helper'
require 'tmpdir'

class DumpTest < Minitest::Test
  def setup
    Headless.reset
    @folder = Dir.mktmpdir
    @path = File.join(@folder, 'model.skp')
  end

  def teardown
    Headless.reset
    FileUtils.remove_entry(@folder)
  end

  def test_a_saved_model_is_the_same_when_it_is_opened
    fill(Sketchup.active_model)
    before = Headless::Dump.canonical(Sketchup.active_model)
    assert Sketchup.active_model.save(@path)
    Headless.reset
    assert Sketchup.open_file(@path)
    assert_equal before, Headless::Dump.canonical(Sketchup.active_model)
  end

  def test_persistent_ids_stay_and_entity_ids_are_new
    instance = fill(Sketchup.active_model)
    persistent = instance.persistent_id
    position = instance.transformation.origin.to_a.map(&:to_f)
    Sketchup.active_model.save(@path)
    Headless.reset
    3.times { Sketchup.active_model.entities.add_group }
    Sketchup.open_file(@path)
    found = Sketchup.active_model.find_entity_by_persistent_id(persistent)
    assert_instance_of Sketchup::ComponentInstance, found
    assert_equal position, found.transformation.origin.to_a.map(&:to_f)
    assert_equal 'main one', found.name
    assert_predicate found, :locked?
  end

  def test_new_entities_of_an_opened_model_do_not_take_a_number_that_is_in_use
    fill(Sketchup.active_model)
    Sketchup.active_model.save(@path)
    Headless.reset
    Sketchup.open_file(@path)
    taken = Headless::Dump.canonical(Sketchup.active_model).scan(/"pid":(\d+)/).flatten.map(&:to_i)
    refute_includes taken, Sketchup.active_model.entities.add_group.persistent_id
  end

  def test_an_opened_model_is_unchanged_and_has_nothing_to_undo
    fill(Sketchup.active_model)
    Sketchup.active_model.save(@path)
    Headless.reset
    Sketchup.open_file(@path)
    model = Sketchup.active_model
    refute_predicate model, :modified?
    assert_equal @path, model.path
    assert_empty model.headless_journal.undo_names
  end

  def test_two_runs_of_one_script_give_the_same_bytes
    dumps = Array.new(2) do
      Headless.reset
      fill(Sketchup.active_model)
      Headless::Dump.canonical(Sketchup.active_model)
    end
    assert_equal dumps[0], dumps[1]
  end

  def test_an_aborted_operation_leaves_the_dump_as_it_was
    model = Sketchup.active_model
    fill(model)
    before = Headless::Dump.canonical(model)
    model.start_operation('away', true)
    fill(model)
    model.layers.add('temporary')
    model.materials.add('temporary')
    model.abort_operation
    assert_equal before, Headless::Dump.canonical(model)
  end

  def test_attribute_values_keep_their_types
    model = Sketchup.active_model
    group = model.entities.add_group
    values = { 'text' => 'ü', 'whole' => 3, 'float' => 2.5, 'yes' => true, 'none' => nil,
               'list' => [1, 'two', [3.0]], 'length' => 10.mm, 'point' => Geom::Point3d.new(1, 2, 3) }
    values.each { |key, value| group.set_attribute('mine', key, value) }
    group.entities.add_line([0, 0, 0], [1, 0, 0])
    pid = group.persistent_id
    model.save(@path)
    Headless.reset
    Sketchup.open_file(@path)
    found = Sketchup.active_model.find_entity_by_persistent_id(pid)
    values.each { |key, value| assert_equal [value], [found.get_attribute('mine', key)], key }
    assert_kind_of Length, found.get_attribute('mine', 'length')
  end

  def test_a_file_can_be_loaded_as_a_component
    fill(Sketchup.active_model)
    Sketchup.active_model.save(@path)
    Headless.reset
    model = Sketchup.active_model
    loaded = model.definitions.load(@path)
    assert_instance_of Sketchup::ComponentDefinition, loaded
    assert_equal 'model', loaded.name
    refute_empty loaded.entities.to_a
  end

  private

  # A box placed twice, once inside a group; layer, material, attributes, lock.
  def fill(model)
    part = box(model)
    model.layers.add('parts').visible = false
    model.materials.add('steel').color = Sketchup::Color.new(10, 20, 30)
    instance = model.entities.add_instance(part, Geom::Transformation.new([10, 0, 5]))
    instance.name = 'main one'
    instance.layer = 'parts'
    instance.material = 'steel'
    instance.set_attribute('vcad', 'instance_id', 'i1')
    instance.locked = true
    group = model.entities.add_group
    group.entities.add_instance(part, Geom::Transformation.rotation(ORIGIN, Z_AXIS, 0.5))
    group.copy
    instance
  end

  def box(model)
    part = model.definitions.add('part')
    corners = [0, 1].product([0, 2], [0, 3]).map { |at| Geom::Point3d.new(*at) }
    part.entities.build do |builder|
      [[0, 2, 6, 4], [1, 5, 7, 3], [0, 4, 5, 1], [2, 3, 7, 6], [0, 1, 3, 2], [4, 6, 7, 5]].each do |face|
        builder.add_face(face.map { |index| corners[index] })
      end
    end
    part.entities.grep(Sketchup::Edge).first.soft = true
    part
  end
end
