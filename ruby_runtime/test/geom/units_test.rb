# frozen_string_literal: true

require 'test_helper'
require 'minitest/mock'

class UnitsTest < BridgeTest
  def test_an_inch_is_exactly_25_4_millimetres
    assert_equal 1.0, 25.4.mm.to_f
    assert_equal 25.4, 1.inch.to_mm
    assert_equal 12.0, 1.feet.to_f
    assert_equal 36.0, 1.yard.to_f
    assert_in_delta 1000.0, 1.m.to_mm, 1e-12
    assert_in_delta 2.54, 1.to_cm, 1e-12
  end

  def test_every_unit_comes_back_as_it_went
    %i[mm cm m km inch feet yard mile].each do |unit|
      assert_in_delta 7.3, 7.3.public_send(unit).public_send(:"to_#{unit}"), 1e-12, unit
    end
  end

  def test_a_length_is_a_number_but_no_float
    length = 10.mm

    assert_kind_of Numeric, length
    refute_kind_of Float, length
    assert_instance_of Length, length
  end

  def test_json_of_a_length_is_a_string_and_of_its_float_a_number
    assert_kind_of String, JSON.parse(JSON.generate([10.mm])).first
    assert_kind_of Float, JSON.parse(JSON.generate([10.mm.to_f])).first
  end

  def test_arithmetic_with_lengths_is_arithmetic_with_inches
    assert_in_delta 2.0, 1.inch + 1.inch, 1e-12
    assert_in_delta 3.0, 3 * 1.inch, 1e-12
    assert_in_delta 0.5, 1.inch / 2, 1e-12
    assert_in_delta 2.0, Math.sqrt(4.inch), 1e-12
    assert_in_delta(-1.0, -1.inch, 1e-12)
    assert_instance_of Float, 1.inch + 1.inch
  end

  def test_lengths_are_equal_within_a_thousandth_of_an_inch
    assert_equal 1.inch, 1.0005.inch
    refute_equal 1.inch, 1.002.inch
    assert_operator 1.inch, :>=, 1.0005.inch
    refute_operator 1.inch, :<, 1.0005.inch
  end

  def test_the_display_says_where_it_rounded
    Headless::Units.stub(:display, [:mm, 1]) do
      assert_equal '10.0 mm', 10.mm.to_s
      assert_equal '~ 10.0 mm', 10.04.mm.to_s
    end
    assert_equal '0.5', 0.5.inch.inspect
  end

  def test_texts_are_read_as_lengths
    { '10mm' => 10 / 25.4, "1'" => 12.0, %(1' 6 1/2") => 18.5, '1/2"' => 0.5, '-2.54 cm' => -1.0,
      '~ 1 m' => 1 / 0.0254 }
      .each do |text, inches|
      assert_in_delta inches, text.to_l.to_f, 1e-9, text
    end
  end

  def test_a_bare_number_is_in_the_unit_of_the_model
    Headless::Units.stub(:display, [:cm, 1]) { assert_in_delta 1.0, '2.54'.to_l.to_f, 1e-12 }
  end

  def test_a_text_that_is_no_length_is_refused
    ['', 'ten', '10 miles an hour', 'mm'].each { |text| assert_raises(ArgumentError, text) { text.to_l } }
  end
end
