# frozen_string_literal: true

require 'test_helper'

class CodecTest < Minitest::Test
  Codec = Vcad::Bridge::Server::Codec

  def test_what_is_not_json_is_a_parse_error
    ['garbage', '{"a":1', '{"a":NaN}', '{"a":Infinity}', '{"a":-Infinity}',
     "{'a':1}", '{"a":1}}', '/* x */ {}',
     "{} // x\n", "{\"a\":\"\xFF\"}"].each do |line|
      error = assert_raises(Vcad::Bridge::Failure, line.inspect) { Codec.parse(line) }
      assert_equal 'PARSE_ERROR', error.error_code
    end
  end

  def test_slashes_and_stars_within_strings_are_text
    assert_equal({ 'a' => 'http://x/*y*/ "//"' }, Codec.parse('{"a":"http://x/*y*/ \"//\""}'))
  end

  def test_a_hundred_levels_pass_and_one_more_does_not
    assert Codec.parse(('[' * 100) + (']' * 100))
    error = assert_raises(Vcad::Bridge::Failure) { Codec.parse(('[' * 101) + (']' * 101)) }
    assert_equal 'PARSE_ERROR', error.error_code
  end

  def test_text_that_is_not_utf8_is_scrubbed_in_replies
    assert_equal "{\"a\":\"x\uFFFDy\"}\n", Codec.generate('a' => "x\xFFy")
    assert_equal "{\"a\":\"ü\"}\n", Codec.generate('a' => 'ü'.encode('ISO-8859-1'))
    assert_equal "{\"a\":\"ü\"}\n", Codec.generate('a' => 'ü'.b)
  end

  def test_numbers_that_json_does_not_know_become_null
    assert_equal "{\"a\":[null,null,1.5]}\n", Codec.generate('a' => [Float::NAN, Float::INFINITY, 1.5])
  end

  def test_a_reply_is_one_line_whatever_it_holds
    assert_equal 1, Codec.generate('a' => "one\ntwo\r\n").count("\n")
  end

  # A line from a stranger is looked at before hello: its cost must grow with its length only.
  def test_a_line_full_of_quotes_is_refused_at_once
    line = "//\"#{'\\"' * 500_000}"
    started = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    assert_raises(Vcad::Bridge::Failure) { Codec.parse(line) }
    assert_operator Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - started, :<, 2.0
  end

  def test_half_a_surrogate_pair_is_no_text
    ['{"a":"\udc00"}', '{"a":{"b":["x\ud800"]}}', '{"\uDFFF":1}', '"\udc00"'].each do |line|
      error = assert_raises(Vcad::Bridge::Failure, line) { Codec.parse(line) }
      assert_equal 'PARSE_ERROR', error.error_code
    end
    assert_equal({ 'a' => "\u{1F600}" }, Codec.parse('{"a":"\ud83d\ude00"}'))
  end
end
