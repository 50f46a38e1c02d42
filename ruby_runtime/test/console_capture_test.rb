# frozen_string_literal: true

require 'test_helper'

class ConsoleCaptureTest < BridgeTest
  def setup
    super
    quiet_console
    @console = Vcad::Bridge::ConsoleCapture.new(folder: workspace)
  end

  def teardown
    @console.stop
    super
  end

  # A progress bar of dots must not grow slower with each dot, nor be kept for ever.
  def test_text_without_a_line_end_goes_to_the_log_in_pieces
    @console.start
    started = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    200_000.times { $stdout.write('x') }
    assert_operator Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - started, :<, 4.0
    lines = File.readlines(@console.log_file)
    assert_operator lines.length, :>=, 2
    assert_operator lines.map(&:bytesize).max, :<, 100_000
  end

  def test_a_line_that_comes_in_parts_is_one_line
    @console.start
    $stdout.write('one ', "and\n", 'two')
    $stdout.write("\nthree\n")
    assert_equal ['one and', 'two', 'three'], (File.readlines(@console.log_file, chomp: true)
                                                   .map { |line| line.split('|', 4).last })
  end

  def test_text_in_another_encoding_is_written_as_utf8
    recording = +''
    @console.record(recording) do
      $stdout.write('Grüße '.encode('Windows-1252'), 'äö'.encode('UTF-16LE'), "\xFF".b)
    end
    assert_equal "Grüße äö\uFFFD", recording
  end
end
