# frozen_string_literal: true

module Headless
  # Makes objects of the API as strict as the host's: a deleted one answers nothing but whether it lives,
  # and no thread other than the host's gets in.
  module Guard
    # What a deleted object still answers.
    ALWAYS_ANSWERED = %i[valid? deleted? inspect to_s object_id == equal? eql? hash].freeze

    module_function

    # Checks each call of the public methods that these classes define now. Methods named `headless_…`
    # are the mock's own and stay unchecked.
    # @param classes [Array<Class>]
    def protect(*classes)
      classes.each { |guarded| guarded.prepend(checks_for(guarded)) }
    end

    # @raise [TypeError]
    def refuse(object)
      raise TypeError, "reference to deleted #{object.class.name.split('::').last}"
    end

    def checks_for(guarded)
      source = guarded_names(guarded).map { |name| check(name, guarded.instance_method(name).parameters) }
      Module.new { module_eval(source.join("\n"), __FILE__, __LINE__) }
    end

    # Public methods of the class itself and of the mock's modules that it includes.
    def guarded_names(guarded)
      own = guarded.included_modules - guarded.superclass.included_modules
      modules = own.select { |included| included.name&.start_with?('Headless::') }
      [guarded, *modules].flat_map { |source| source.public_instance_methods(false) }.uniq.reject do |name|
        name.start_with?('headless_') || ALWAYS_ANSWERED.include?(name)
      end
    end

    # A method with the same plain parameters is much faster than one that takes any.
    def check(name, parameters)
      plain = parameters.all? { |kind, _| kind == :req }
      list = plain ? Array.new(parameters.size) { |place| "a#{place}" }.join(', ') : '...'
      <<~RUBY
        def #{name}(#{list})
          Headless.main_thread!
          Headless::Guard.refuse(self) if @deleted
          super#{plain ? '' : '(...)'}
        end
      RUBY
    end
  end
end
