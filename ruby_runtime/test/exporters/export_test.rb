# frozen_string_literal: true

require 'test_helper'

class ExportTest < BridgeTest
  def setup
    super
    @folder = Dir.mktmpdir
    @model = Sketchup.active_model
    @plate = plate
    @instance = @model.entities.add_instance(@plate, Geom::Transformation.translation([10.mm, 0, 0]))
  end

  def teardown
    FileUtils.remove_entry(@folder)
    super
  end

  def test_what_can_be_imported_comes_back_as_the_same_solid
    { 'dae' => {}, 'stl' => { units: 'mm' } }.each do |kind, options|
      definition = round_trip(kind, options)

      assert_in_delta 10.0, definition.bounds.min.x.to_mm, 1e-4, kind
      assert_in_delta 50.0, definition.bounds.max.x.to_mm, 1e-4, kind
      again = @model.entities.add_instance(definition, IDENTITY)

      assert_predicate again, :manifold?, kind
      again.erase!
    end
  end

  def test_triangles_of_an_obj_close_the_same_solid
    export('a.obj', units: 'mm')
    directed = lines('a.obj', 'f').flat_map { |_, *corners| corners.zip(corners.rotate) }

    assert_equal [[10.0, 50.0], [0.0, 40.0], [0.0, 5.0]], vertices('a.obj').transpose.map(&:minmax)
    assert_equal directed.size, directed.uniq.size
    assert_empty directed.map(&:reverse) - directed
  end

  def test_faces_with_holes_stay_open
    loops = round_trip('dae', {}).entities.grep(Sketchup::Face).map { |face| face.loops.size }

    assert_equal [2, 2], loops.select { |number| number > 1 }
  end

  def test_the_unit_is_an_option
    export('a.obj', units: 'mm')
    export('b.obj', units: 'cm')

    assert_equal [10.0, 50.0], vertices('a.obj').map(&:first).minmax
    assert_equal [1.0, 5.0], vertices('b.obj').map(&:first).minmax
  end

  def test_only_the_selection_when_asked_for
    other = @model.entities.add_instance(@plate, Geom::Transformation.translation([100.mm, 0, 0]))
    @model.selection.add(other)
    export('a.obj', units: 'mm', selectionset_only: true)

    assert_equal [100.0, 140.0], vertices('a.obj').map(&:first).minmax
  end

  def test_hidden_things_are_left_out
    @instance.hidden = true
    export('a.obj')

    assert_empty vertices('a.obj')
  end

  def test_materials_go_along
    @instance.material = 'SteelBlue'
    export('a.obj')
    definition = round_trip('dae', {})

    assert_match(/newmtl SteelBlue\nKd 0\.2745 0\.5098 0\.7059/, File.read(File.join(@folder, 'a.mtl')))
    assert_equal ['SteelBlue'], definition.entities.grep(Sketchup::Face).map { |face|
                                  face.material.name
                                }.uniq
  end

  def test_a_mirrored_instance_is_written_the_right_way_out
    @instance.transformation = Geom::Transformation.scaling(-1, 1, 1)
    definition = round_trip('stl', units: 'mm')
    top = definition.entities.grep(Sketchup::Face).find { |face| face.bounds.min.z.to_mm > 4.9 }

    assert top.normal.samedirection?(Z_AXIS)
  end

  def test_misspelt_options_are_on_record
    export('a.obj', double_sided_faces: true)

    assert_includes Headless.host.gaps.to_a.join, 'double_sided_faces'
  end

  def test_unknown_formats_are_refused_and_failures_answered_with_false
    assert_raises(ArgumentError) { @model.export(File.join(@folder, 'a.xyz')) }
    refute @model.export(File.join(@folder, 'none', 'a.obj'))
    Headless.failures.order('export', 'false')

    refute @model.export(File.join(@folder, 'a.obj'))
  end

  private

  def export(name, **options)
    assert @model.export(File.join(@folder, name), options)
  end

  def round_trip(kind, options)
    export("part.#{kind}", **options)
    @model.definitions.import(File.join(@folder, "part.#{kind}"), options.merge(merge_coplanar_faces: true))
  end

  def lines(name, key)
    File.readlines(File.join(@folder, name)).map(&:split).select { |words| words.first == key }
  end

  def vertices(name)
    lines(name, 'v').map { |words| words.drop(1).map(&:to_f) }
  end

  OUTER = [[0, 0], [40, 0], [40, 40], [0, 40]].freeze
  INNER = [[10, 10], [10, 30], [30, 30], [30, 10]].freeze

  # 40 by 40 by 5 mm with a square opening.
  def plate
    definition = @model.definitions.add('plate')
    definition.entities.build do |builder|
      builder.add_face(points(OUTER, 0).reverse, holes: [points(INNER, 0).reverse])
      builder.add_face(points(OUTER, 5), holes: [points(INNER, 5)])
      [OUTER, INNER].each do |loop|
        loop.each_index { |index| builder.add_face(side(loop[index - 1], loop[index])) }
      end
    end
    definition
  end

  def side(from, to)
    points([from, to], 0) + points([to, from], 5)
  end

  def points(corners, height)
    corners.map { |x, y| Geom::Point3d.new(x.mm, y.mm, height.mm) }
  end
end
