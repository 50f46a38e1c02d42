# frozen_string_literal: true

require 'test_helper'

class LogTest < BridgeTest
  # Names of files and messages of the system need not agree on an encoding; the note about an error must not
  # become another error, because then nobody is answered.
  def test_an_error_in_several_encodings_is_noted
    console = Vcad::Bridge::ConsoleCapture.new(folder: workspace)
    log = Vcad::Bridge::Log.new(console: console, silent: true)
    error = RuntimeError.new('Größe')
    error.set_backtrace(["C:/J\u00fcrgen/a.rb:1".encode('Windows-1252')])
    log.failure('tool', error)
    assert_match(/RuntimeError: Größe/, File.read(console.log_file, encoding: 'UTF-8'))
  end
end
