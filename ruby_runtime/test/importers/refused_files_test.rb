# frozen_string_literal: true

require_relative 'importing'
require_relative 'collada_text'

class RefusedFilesTest < ImportTest
  def test_a_missing_file_raises
    assert_raises(IOError) { @model.definitions.import(File.join(@folder, 'none.dae')) }
  end

  def test_broken_xml_gives_nil_and_changes_nothing
    before = state
    text = ColladaText.box
    [text[0, 200], text.sub('</mesh>', ''), 'no xml', '', "#{text}<more/>",
     text.sub('10', "\xFF")].each do |broken|
      assert_nil import(broken), broken[0, 40]
    end
    assert_equal before, state
  end

  # What stands in a sound box, and what makes no sense in its place.
  SENSELESS = [
    ['10 0 0', '10 zero 0'], ['10 0 0', 'NaN 0 0'], ['10 0 0', 'true 0 0'], ['10 0 0', '[10] 0 0'],
    ['<p>0 3', '<p>0 99'], ['<p>0 3', '<p>0 -3'], ['<p>0 3', '<p>"0" 3'], ['<p>0 3', '<p>null 3'],
    ['<p>0 3', '<p>0.5 3'], ['meter="0.001"', 'meter="0"'], ['meter="0.001"', 'meter="big"'],
    ['source="#v"', 'source="#w"'], ['stride="3"', 'stride="0"'], ['offset="0"', 'offset="-1"']
  ].freeze

  def test_numbers_and_indices_that_make_no_sense_give_nil
    text = ColladaText.box
    SENSELESS.each do |sound, senseless|
      assert_includes text, sound
      assert_nil import(text.sub(sound, senseless)), senseless
    end
  end

  MOVED = '<node name="n"><matrix>1 0 0 5 0 1 0 0 0 0 1 0 0 0 0 1</matrix><translate>10 0 0</translate>' \
          '<rotate>0 0 1 90</rotate><scale>1 2 1</scale><instance_geometry url="#shape"/></node>'

  def test_damage_of_any_kind_is_answered_and_never_raised
    random = Random.new(11)
    texts = [ColladaText.box, ColladaText.box(nodes: MOVED), holed]
    450.times do |number|
      text = texts[number % 3].dup
      random.rand(1..4).times { damage(text, random) }
      found = import(text)

      assert(found.nil? || found.is_a?(Sketchup::ComponentDefinition))
    end
  end

  def test_a_scene_without_geometry_gives_nil
    assert_nil import(ColladaText.document('', nodes: '<node name="empty"/>'))
    assert_nil import('<html><body/></html>')
  end

  def test_there_is_no_importer_for_obj
    error = assert_raises(ArgumentError) { import("v 0 0 0\n", name: 'part.obj') }

    assert_match(/importer/, error.message)
    assert_raises(ArgumentError) { import('x', name: 'part.txt') }
  end

  def test_a_saved_model_can_be_imported
    path = File.join(@folder, 'saved.skp')
    @model.entities.add_instance(import(ColladaText.box), IDENTITY)
    @model.save(path)

    assert_bounds [0, 0, 0], [10, 20, 30], @model.definitions.import(path)
  end

  def test_ordered_failures_happen
    Headless.failures.order('import', 'nil')

    assert_nil import(ColladaText.box)
    Headless.failures.order('import', 'raise')

    assert_raises(Headless::InjectedFailure) { import(ColladaText.box) }
    assert import(ColladaText.box)
  end

  def test_abort_after_a_partial_import_leaves_everything_as_it_was
    import(ColladaText.box)
    before = state
    Headless.failures.order('import', 'partial')
    @model.start_operation('Import', true)

    assert_raises(Headless::InjectedFailure) { import(ColladaText.box) }
    refute_equal before, state
    @model.abort_operation

    assert_equal before, state
  end

  private

  def holed
    points = [[0, 0, 0], [40, 0, 0], [40, 40, 0], [0, 40, 0], [10, 10, 0], [10, 30, 0], [30, 30, 0],
              [30, 10, 0]]
    primitive = '<polygons count="1"><input semantic="VERTEX" source="#v" offset="0"/>' \
                '<input semantic="NORMAL" source="#n" offset="1"/>' \
                '<ph><p>0 0 1 0 2 0 3 0</p><h>4 0 5 0 6 0 7 0</h></ph></polygons>'
    normals = ColladaText.source('n', [[0, 0, 1]])
    ColladaText.document(ColladaText.geometry(points, primitive, sources: normals))
  end

  # Takes a piece out, doubles it, or puts something else there.
  def damage(text, random)
    at = random.rand(text.size)
    size = random.rand(1..12)
    case random.rand(3)
    when 0 then text[at, size] = ''
    when 1 then text.insert(at, text[at, size])
    else text[at, 1] =
           ['<', '>', '"', '-', '9', '.', 'e', ' ', '&', '#', "\u00e9", '0'].sample(random: random)
    end
  end
end
