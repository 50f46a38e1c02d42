# frozen_string_literal: true

module Headless
  # The open documents and which of them is in front. On the macOS profile every document has a Model
  # object of its own; on the Windows profile there is one object whose contents change.
  class Documents
    # @return [Sketchup::Model, nil] the model in front
    attr_reader :active

    def initialize(host)
      @host = host
      @tell = AppObservers.new(host.app_observers)
      @open = []
    end

    # Closes everything and begins with one empty document.
    def reset
      Observers.reset
      @open = []
      show(Headless.build_model)
      @tell.tell(:onNewModel, @active)
      @active
    end

    # @param title [String, nil] of the unsaved document
    # @return [Sketchup::Model]
    def create(title: nil)
      show(fresh)
      @active.headless_title = title if title
      @tell.tell(:onNewModel, @active)
      @active
    end

    # @param path [String] of a `.skp` file that the mock wrote
    # @return [Sketchup::Model]
    # @raise [Dump::Unreadable] when the file is something else; the document in front stays
    def open(path)
      contents = Dump.read(path)
      already = macos? && @open.find { |model| model.path == path }
      return activate(already) if already

      show(fresh)
      Dump.load_into(@active, contents, path: path)
      @tell.tell(:onOpenModel, @active)
      @active
    end

    # @raise [ArgumentError] when the model is not open, or the host has one document at a time
    def activate(model)
      raise ArgumentError, 'this platform has one document at a time' unless macos?
      raise ArgumentError, 'the model is not open' unless @open.include?(model)

      @active = model
      @tell.tell(:onActivateModel, model)
      model
    end

    # @return [Sketchup::Model, nil]
    def titled(title)
      @open.find { |model| model.title == title }
    end

    # On Windows an empty document takes its place.
    # @return [Sketchup::Model, nil] the model that is in front afterwards
    def close(model, ignore_changes: true)
      return @active unless ignore_changes || leave?(model)
      return create unless macos?

      @open.delete(model)
      model.headless_close
      @active = @open.last if @active.equal?(model)
      @tell.tell(:onActivateModel, @active) if @active
      @active
    end

    # Whether the document in front may make room: one with unsaved changes asks the user first, which
    # stops all timers. On macOS another document opens beside it.
    # @raise [MockModalDialog]
    def make_room?
      macos? || @active.nil? || leave?(@active)
    end

    # Tells the observers that SketchUp ends.
    def quit
      @tell.tell(:onQuit)
    end

    # Tells one new observer, if it wants that, of the document that was there before it.
    def greet(observer)
      return unless observer.respond_to?(:expectsStartupModelNotifications)
      return unless observer.expectsStartupModelNotifications && @active

      AppObservers.new([observer]).tell(:onNewModel, @active)
    end

    private

    def leave?(model)
      return true unless model.modified?

      @host.answers.answer('messagebox', "Save changes to #{model.title}?") != IDCANCEL
    end

    def macos?
      @host.configuration.platform == 'macos'
    end

    def fresh
      return Headless.build_model if macos? || @active.nil?

      @active.tap(&:headless_clear)
    end

    def show(model)
      @open.push(model) unless @open.include?(model)
      @active = model
    end
  end
end
