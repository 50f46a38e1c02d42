# frozen_string_literal: true

module Sketchup
  # The Ruby console: it keeps what is written to it.
  class Console
    def initialize
      @visible = false
      @text = +''
    end

    def show
      @visible = true
    end

    def hide
      @visible = false
      true
    end

    def visible?
      @visible
    end

    def write(*texts)
      texts.sum { |text| @text.concat(text.to_s) && text.to_s.bytesize }
    end

    def clear
      @text.clear
      true
    end

    def headless_text
      @text.dup
    end
  end
end

SKETCHUP_CONSOLE = Sketchup::Console.new
