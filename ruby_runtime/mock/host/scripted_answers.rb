# frozen_string_literal: true

module Headless
  # A question that would have stopped SketchUp until a person answers it.
  class MockModalDialog < StandardError
  end

  # The answers that a test prepared for `UI.messagebox` and its like.
  class ScriptedAnswers
    # @return [Array<Array>] every question asked, as [kind, text]
    attr_reader :asked

    def initialize
      @answers = []
      @asked = []
    end

    def script(answers)
      @answers.concat(answers)
    end

    # @raise [MockModalDialog] when no answer is left
    def answer(kind, text)
      @asked << [kind, text.to_s]
      raise MockModalDialog, "#{kind} would wait for a person: #{text}" if @answers.empty?

      @answers.shift
    end
  end
end
