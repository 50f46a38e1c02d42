# frozen_string_literal: true

require 'test_helper'
require_relative 'png_reading'

class WriteImageTest < BridgeTest
  WHITE = [255, 255, 255, 255].freeze

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
    first = draw.rows

    assert_equal first, draw.rows
  end

  def test_what_is_in_front_hides_what_is_behind
    hidden = cube([0, 0, -20], 10)
    shown = cube([0, 0, 0], 30)
    left = cube([-25, 0, 0], 5)

    assert_equal [shown, left].map(&:entityID).sort, draw.described['visible']
    refute_includes draw.described['visible'], hidden.entityID
  end

  def test_hidden_things_and_hidden_layers_are_not_drawn
    cube([0, 0, 0], 10).hidden = true
    layered = cube([20, 0, 0], 10)
    layered.layer = @model.layers.add('off')
    @model.layers['off'].visible = false

    assert_empty draw.described['visible']
    assert_equal [0xFFFFFFFF], draw.colors
  end

  def test_faces_are_coloured_by_their_own_material_before_that_of_the_instance
    instance = cube([0, 0, 0], 40)
    instance.material = 'red'
    middle = [50, 50]

    assert_operator draw.pixel(*middle)[0], :>, 3 * draw.pixel(*middle)[1]
    instance.definition.entities.grep(Sketchup::Face).each { |face| face.material = 'blue' }

    assert_operator draw.pixel(*middle)[2], :>, 3 * draw.pixel(*middle)[0]
  end

  def test_edges_are_drawn_unless_they_are_soft_or_hidden
    instance = cube([0, 0, 0], 40)
    dark = draw.colors.count { |color| (color >> 24) < 60 }
    instance.definition.entities.grep(Sketchup::Edge).each { |edge| edge.hidden = true }

    assert_equal 1, dark
    assert_equal(0, draw.colors.count { |color| (color >> 24) < 60 })
  end

  def test_a_transparent_background_is_fully_transparent_and_the_rest_is_not
    cube([0, 0, 0], 10)
    @view.write_image(filename: @path, width: 100, height: 100, transparent: true)

    assert_equal [0, 0, 0, 0], shot.pixel(0, 0)
    assert_equal 255, shot.pixel(50, 50)[3]
    assert_equal WHITE, draw.pixel(0, 0)
  end

  def test_sides_turned_to_the_light_are_brighter
    cube([0, 0, 0], 20)
    @view.camera = Sketchup::Camera.new([40, -60, 50], ORIGIN, Z_AXIS)
    @view.zoom_extents
    faces = draw.colors.reject { |color| color == 0xFFFFFFFF || (color >> 24) < 60 }

    assert_equal 3, faces.size
  end

  def test_what_lies_behind_the_eye_is_cut_off
    cube([0, 0, 0], 40)
    @view.camera = Sketchup::Camera.new([0, 0, 0], [1, 0, 0], Z_AXIS)

    assert_equal 1, draw.described['visible'].size
    refute_equal WHITE, draw.pixel(50, 50)
  end

  def test_edges_that_begin_behind_the_eye_are_drawn_from_where_they_are_seen
    cube([0, 0, 0], 40)
    @view.camera = Sketchup::Camera.new([0, 0, 0], [1, 0, 0], Z_AXIS, true, 110)
    image = draw
    dark = [[2, 2], [97, 2], [2, 97], [97, 97]].map { |column, row| darkest_around(image, column, row) }

    assert_equal [0x26] * 4, dark
  end

  def test_a_parallel_projection_shows_its_height
    cube([0, 0, 0], 10)
    camera = Sketchup::Camera.new([0, 0, 100], ORIGIN, Y_AXIS, false)
    camera.height = 20
    @view.camera = camera
    covered = (0...100).count { |row| draw_once.pixel(50, row) != WHITE }

    assert_in_delta 50, covered, 2
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

  def test_nested_and_mirrored_things_stand_where_their_transformations_put_them
    inner = cube([0, 0, 0], 10)
    parent = @model.definitions.add('parent')
    parent.entities.add_instance(inner.definition, Geom::Transformation.translation([0, 15, 0]))
    inner.erase!
    instance = @model.entities.add_instance(parent, Geom::Transformation.scaling(1, -1, 1))

    image = draw
    assert_equal [instance.entityID], image.described['visible']
    assert_equal WHITE, image.pixel(50, 20)
    refute_equal WHITE, image.pixel(50, 74)
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

  def darkest_around(image, column, row)
    (-2..2).to_a.product((-2..2).to_a).map { |right, down| image.pixel(column + right, row + down)[0] }.min
  end

  def draw_once
    @draw_once ||= draw
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
