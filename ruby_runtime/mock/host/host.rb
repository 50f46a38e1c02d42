# frozen_string_literal: true

# The one SketchUp of this process.
module Headless
  # What a SketchUp has beside its documents. Timers, menus and application observers belong to the
  # extensions and survive a reset; everything a test may have set does not.
  class Host
    attr_reader :clock, :timers, :configuration, :failures, :gaps, :answers, :delays, :preferences,
                :app_observers
    attr_accessor :documents, :status_text, :observer_mutation

    def initialize
      @clock = Clock.new
      @timers = Timers.new(@clock)
      @preferences = {}
      @app_observers = []
      renew
    end

    # Back to the state after start, but for the documents.
    def renew
      @configuration = Configuration.new
      @clock.virtual = false
      @failures = Failures.new
      @gaps = Gaps.new
      @answers = ScriptedAnswers.new
      @delays = {}
      @status_text = ''
      @observer_mutation = false
      @started_with ||= @preferences
      @preferences = Marshal.load(Marshal.dump(@started_with))
    end

    # Makes the preferences of now those that a reset comes back to.
    def settle
      @started_with = Marshal.load(Marshal.dump(@preferences))
    end
  end

  MAIN_THREAD = Thread.current
  private_constant :MAIN_THREAD

  class << self
    def host
      @host ||= Host.new
    end

    def configuration
      host.configuration
    end

    def failures
      host.failures
    end

    # Back to the state after start: an empty unsaved model, default settings, nothing ordered.
    # @return [Sketchup::Model] the model of the new document
    def reset
      host.renew
      host.documents ||= Documents.new(host)
      host.documents.reset
    end

    # Keeps what an application observer raised, beside what observers of models raise.
    def record_observer_error(observer, callback, error)
      Observers.errors << "#{observer.class}##{callback}: #{error.class}: #{error.message}"
    end

    # @return [Sketchup::Model] an empty unsaved document
    def build_model
      Sketchup::Model.new
    end

    # @raise [ThreadError] on any thread but the one that SketchUp runs on
    def main_thread!
      return if Thread.current.equal?(MAIN_THREAD)

      raise ThreadError, "SketchUp's API is for its main thread only"
    end
  end
end
