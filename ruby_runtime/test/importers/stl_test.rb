# frozen_string_literal: true

require_relative 'importing'
require_relative 'collada_text'

class StlTest < ImportTest
  CORNERS = ColladaText.corners([10, 20, 30]).freeze

  def test_text_and_binary_give_the_same_solid
    [text, binary].each do |content|
      definition = import(content, name: 'box.stl', units: 'mm')

      assert_bounds [0, 0, 0], [10, 20, 30], definition
      assert_equal 6, definition.entities.grep(Sketchup::Face).size
      assert_predicate @model.entities.add_instance(definition, IDENTITY), :manifold?
    end
  end

  def test_the_unit_is_an_option
    assert_bounds [0, 0, 0], [100, 200, 300], import(text, name: 'box.stl', units: 'cm')
    assert_bounds [0, 0, 0], [254, 508, 762], import(text, name: 'box.stl', units: 'inch')
    assert_raises(ArgumentError) { import(text, name: 'box.stl', units: 'elbow') }
  end

  def test_a_binary_header_may_begin_like_a_text
    definition = import(binary.sub(/\A.{5}/n, 'solid'), name: 'box.stl', units: 'mm')

    assert_bounds [0, 0, 0], [10, 20, 30], definition
  end

  def test_what_is_no_stl_gives_nil
    assert_nil import('nothing', name: 'box.stl')
    assert_nil import('solid empty endsolid', name: 'box.stl')
  end

  private

  def text
    facets = ColladaText::TRIANGLES.map do |corners|
      rows = corners.map { |corner| "vertex #{CORNERS[corner].join(' ')}" }
      "facet normal 0 0 0\nouter loop\n#{rows.join("\n")}\nendloop\nendfacet"
    end
    "solid box\n#{facets.join("\n")}\nendsolid box\n"
  end

  def binary
    rows = ColladaText::TRIANGLES.map do |corners|
      [0, 0, 0, *CORNERS.values_at(*corners).flatten, 0].pack('e12v')
    end
    ['box'].pack('a80') + [rows.size].pack('V') + rows.join
  end
end
