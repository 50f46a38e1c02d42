# frozen_string_literal: true

require 'test_helper'
require_relative 'png_reading'

class WriteImageTest < BridgeTest
  def setup
    super
    @folder = Dir.mktmpdir
    @path = File.join(@folder, 'shot.png')
    @model = Sketchup.active_model
    @view = @model.active_view
    @view.camera = Sketchup::Camera.new([0, 0, 100], ORIGIN, Y_AXIS)
  end

  def teardown
    FileUtils.remove_entry(@folder)
    super
  end

  def test_a_picture_has_the_size_that_was_asked_for
    assert @view.write_image(@path, 64, 48)
    assert_equal [64, 48], [shot.width, shot.height]
    assert @view.write_image(filename: @path, width: 33, height: 21, antialias: true, compression: 0.9)
    assert_equal [33, 21], [shot.width, shot.height]
  end

  def test_without_a_size_it_is_that_of_the_view
    assert @view.write_image(@path)
    assert_equal [@view.vpwidth, @view.vpheight], [shot.width, shot.height]
  end

  def test_impossible_sizes_and_places_are_answered_with_false
    [[0, 10], [10, 0], [-1, 10], [16_001, 10], [10, 16_001]].each do |width, height|
      refute @view.write_image(@path, width, height)
    end
    refute @view.write_image(File.join(@folder, 'none', 'shot.png'), 10, 10)
    refute @view.write_image(File.join(@folder, 'shot.xyz'), 10, 10)
    assert_empty Dir.children(@folder)
    assert_raises(ArgumentError) { @view.write_image({ width: 10 }) }
  end

  def test_misspelt_options_are_on_record
    @view.write_image(filename: @path, width: 10, height: 10, transparency: true)

    assert_includes Headless.host.gaps.to_a, 'Sketchup::View#write_image(transparency:)'
  end

  def test_an_ordered_failure_happens
    Headless.failures.order('write_image', 'false')

    refute @view.write_image(@path, 10, 10)
    assert @view.write_image(@path, 10, 10)
  end

  def test_the_same_scene_gives_the_same_bytes
    cube([0, 0, 0], 10)
    first = draw && File.binread(@path)

    assert_equal first, draw && File.binread(@path)
  end

  def test_hidden_things_and_hidden_layers_are_not_shown
    cube([0, 0, 0], 10).hidden = true
    layered = cube([20, 0, 0], 10)
    layered.layer = @model.layers.add('off')
    @model.layers['off'].visible = false

    assert_empty draw.described['visible']
  end

  def test_soft_and_hidden_edges_alone_show_nothing
    edge = @model.entities.add_line([0, 0, 0], [1, 0, 0])
    shown = draw.described['visible']
    edge.hidden = true

    assert_equal [[edge.entityID], []], [shown, draw.described['visible']]
  end

  def test_a_transparent_background_is_fully_transparent
    @view.write_image(filename: @path, width: 100, height: 100, transparent: true)
    asked = shot.transparent

    assert_equal [true, false], [asked, draw.transparent]
  end

  def test_a_parallel_projection_says_its_height
    camera = Sketchup::Camera.new([0, 0, 100], ORIGIN, Y_AXIS, false)
    camera.height = 20
    @view.camera = camera

    assert_in_delta 508.0, draw.described['camera']['height_mm'], 1e-9
  end

  def test_the_text_says_where_it_was_seen_from_in_millimetres
    camera = draw.described['camera']

    assert_equal [0.0, 0.0, 2540.0], camera['eye_mm']
    assert_equal 35.0, camera['fov']
    assert camera['perspective']
  end

  def test_isolating_shows_only_what_is_open
    cube([0, 0, 0], 10)
    opened = cube([20, 0, 0], 10)
    @model.active_path = [opened]
    @model.rendering_options['InactiveHidden'] = true

    assert_equal [opened.entityID], draw.described['visible']
  end

  def test_nested_things_count_as_what_stands_in_the_model
    inner = cube([0, 0, 0], 10)
    parent = @model.definitions.add('parent')
    parent.entities.add_instance(inner.definition, IDENTITY)
    inner.erase!
    instance = @model.entities.add_instance(parent, IDENTITY)

    assert_equal [instance.entityID], draw.described['visible']
  end

  def test_jpeg_has_the_size_that_was_asked_for
    cube([0, 0, 0], 10)
    path = File.join(@folder, 'shot.jpeg')

    assert @view.write_image(path, 90, 50)
    data = File.binread(path)
    frame = data.index("\xFF\xC0".b)

    assert data.start_with?("\xFF\xD8".b)
    assert data.end_with?("\xFF\xD9".b)
    assert_equal [50, 90], data.byteslice(frame + 5, 4).unpack('nn')
  end

  private

  def shot
    PngReading.read(@path)
  end

  def draw
    @view.write_image(@path, 100, 100)
    shot
  end

  # A closed cube around a point.
  def cube(center, size)
    definition = @model.definitions.add('cube')
    half = size / 2.0
    corners = [0, 1].product([0, 1], [0, 1]).map { |bits| bits.map { |bit| bit.zero? ? -half : half } }
    definition.entities.build do |builder|
      [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
        .each { |loop| builder.add_face(loop.map { |corner| Geom::Point3d.new(corners[corner]) }) }
    end
    @model.entities.add_instance(definition, Geom::Transformation.translation(center))
  end
end
