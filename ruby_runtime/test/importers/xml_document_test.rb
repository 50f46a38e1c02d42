# frozen_string_literal: true

require 'test_helper'

class XmlDocumentTest < BridgeTest
  def test_elements_attributes_and_text
    head = '<?xml version="1.0"?><!DOCTYPE a [<!ELEMENT a ANY>]>'
    root = read(%(#{head}<a one='1' two="&lt;&#65;&#x42;">t<!-- no --><b/>u</a>))

    assert_equal %w[1 <AB], [root['one'], root['two']]
    assert_equal 'tu', root.text
    assert_equal ['b'], root.children.map(&:name)
  end

  def test_names_lose_their_prefix_and_texts_their_sections
    root = read('<x:a xmlns:x="u"><x:b><![CDATA[1 < 2]]></x:b></x:a>')

    assert_equal '1 < 2', root.at('b').text
    assert_nil root.at('b', 'c')
  end

  def test_text_is_unicode
    root = read("\uFEFF<a name=\"Träger\">Maß &amp; Zahl</a>")

    assert_equal 'Träger', root['name']
    assert_equal 'Maß & Zahl', root.text
  end

  def test_what_is_not_well_formed_is_refused
    ['', 'text', '<a>', '<a></b>', '</a>', '<a/><b/>', '<a b=1/>', '<a/>tail', '<>', '< a/>']
      .each do |text|
      assert_raises(Headless::Importers::XmlDocument::Malformed, text) { read(text) }
    end
  end

  private

  def read(text)
    Headless::Importers::XmlDocument.root(text)
  end
end
