# frozen_string_literal: true

module Sketchup
  # To be subclassed by extensions; what each callback means stands in SketchUp's documentation.
  class AppObserver # rubocop:disable Lint/EmptyClass -- as in SketchUp
  end
end

module Headless
  # Tells the application's observers of documents that come and go. What they raise is on record in
  # the model's observer errors, and goes no further.
  class AppObservers
    def initialize(observers)
      @observers = observers
    end

    # @param callback [Symbol] as `:onNewModel`
    # @param model [Sketchup::Model, nil] nil for callbacks without an argument
    def tell(callback, model = nil)
      @observers.dup.each do |observer|
        next unless observer.respond_to?(callback)

        begin
          model ? observer.public_send(callback, model) : observer.public_send(callback)
        rescue StandardError => e
          Headless.record_observer_error(observer, callback, e)
        end
      end
    end
  end
end
