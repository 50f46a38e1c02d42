# frozen_string_literal: true

require 'test_helper'

class LineBufferTest < Minitest::Test
  LineBuffer = Vcad::Bridge::Server::LineBuffer

  def test_a_line_may_come_in_pieces
    buffer = LineBuffer.new(100)
    buffer << '{"a":'
    assert_nil buffer.shift
    buffer << "1}\n{"
    assert_equal '{"a":1}', buffer.shift
    assert_nil buffer.shift
  end

  def test_several_lines_may_come_at_once
    buffer = LineBuffer.new(100)
    buffer << "one\ntwo\r\n\n  \t\r\nthree\n"
    assert_equal(%w[one two three], Array.new(3) { buffer.shift })
    assert_nil buffer.shift
  end

  def test_a_character_split_between_two_segments_stays_whole
    buffer = LineBuffer.new(100)
    bytes = "{\"n\":\"Größe\"}\n".b
    bytes.each_char { |byte| buffer << byte }
    line = buffer.shift
    assert_equal Encoding::UTF_8, line.encoding
    assert_equal '{"n":"Größe"}', line
  end

  def test_a_line_of_exactly_the_limit_passes_and_one_byte_more_does_not
    buffer = LineBuffer.new(10)
    buffer << "#{'x' * 10}\n"
    refute_predicate buffer, :overflow?
    assert_equal 'x' * 10, buffer.shift
    buffer << ('y' * 11)
    assert_nil buffer.shift
    assert_predicate buffer, :overflow?
  end

  def test_a_finished_line_that_is_too_long_overflows_too
    buffer = LineBuffer.new(10)
    buffer << "#{'x' * 11}\nshort\n"
    assert_nil buffer.shift
    assert_predicate buffer, :overflow?
  end

  def test_many_short_lines_are_no_overflow
    buffer = LineBuffer.new(10)
    buffer << ("abc\n" * 1000)
    refute_predicate buffer, :overflow?
    assert_equal 1000, Array.new(1001) { buffer.shift }.compact.length
  end
end
