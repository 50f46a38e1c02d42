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

  def test_numbers_and_indices_that_make_no_sense_give_nil
    text = ColladaText.box
    { '10 0 0' => '10 zero 0', '10 0 0 ' => 'NaN 0 0 ', '<p>0 3' => '<p>0 99', '<p>0 3 ' => '<p>0 -3 ',
      'meter="0.001"' => 'meter="0"', 'source="#v"' => 'source="#w"' }.each do |sound, broken|
      assert_includes text, sound
      assert_nil import(text.sub(sound, broken)), broken
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

  def test_obj_is_read_when_old_fixtures_need_it
    ENV['MOCK_ALLOW_OBJ'] = '1'
    corners = ColladaText.corners([10, 20, 30]).map { |xyz| "v #{xyz.join(' ')}" }
    faces = ColladaText::QUADS.map { |quad| "f #{quad.map { |corner| corner + 1 }.join(' ')}" }
    definition = import((corners + faces).join("\n"), name: 'part.obj', units: 'mm')

    assert_bounds [0, 0, 0], [10, 20, 30], definition
  ensure
    ENV.delete('MOCK_ALLOW_OBJ')
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
end
