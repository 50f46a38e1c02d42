# frozen_string_literal: true

module Headless
  # Objects that take observers.
  module Observable
    NOBODY = [].freeze
    private_constant :NOBODY

    # @return [Boolean] false when the observer was there already
    def add_observer(observer)
      @observers ||= []
      return false if @observers.any? { |known| known.equal?(observer) }

      @observers += [observer]
      Observers.registered(self, 1)
      true
    end

    # @return [Boolean] whether it was there
    def remove_observer(observer)
      return false unless @observers&.any? { |known| known.equal?(observer) }

      @observers = @observers.reject { |known| known.equal?(observer) }
      Observers.registered(self, -1)
      true
    end

    def headless_observers
      @observers || NOBODY
    end
  end

  # Calls the observers, in the order of the changes, after these are complete.
  module Observers
    # Kind of event → what the inverse change is told as.
    KINDS = {
      element_added: :element_removed, element_removed: :element_added, element_modified: :element_modified,
      entity_changed: :entity_changed, definition_added: :definition_removed,
      definition_removed: :definition_added, definition_changed: :definition_changed,
      instance_added: :instance_removed, instance_removed: :instance_added,
      layer_added: :layer_removed, layer_removed: :layer_added, layer_changed: :layer_changed,
      material_added: :material_removed, material_removed: :material_added,
      material_changed: :material_changed, page_added: :page_removed, page_removed: :page_added
    }.freeze

    # The events that are one call each: receiver's method, called as (subject, object).
    CALLS = {
      definition_added: :onComponentAdded, definition_changed: :onComponentPropertiesChanged,
      instance_added: :onComponentInstanceAdded, instance_removed: :onComponentInstanceRemoved,
      layer_added: :onLayerAdded, layer_removed: :onLayerRemoved, layer_changed: :onLayerChanged,
      material_added: :onMaterialAdd, material_removed: :onMaterialRemove,
      material_changed: :onMaterialChange,
      page_added: :onContentsModified, page_removed: :onContentsModified
    }.freeze

    @errors = []
    @registered = {}.compare_by_identity
    @delivering = 0

    class << self
      # @return [Array<String>] what observers raised; the host swallows it
      attr_reader :errors

      # Forgets errors and registrations, as for a new process.
      def reset
        @errors = []
        @registered = {}.compare_by_identity
      end

      # @return [Hash{String => Integer}] number of observers by class of the observed object
      def counts
        @registered.each_with_object(Hash.new(0)) do |(subject, count), counts|
          counts[subject.is_a?(Module) ? subject.name : subject.class.name] += count if count.positive?
        end
      end

      # Keeps count; what was registered before a reset is not counted any more.
      def registered(subject, difference)
        return if difference.negative? && !@registered.key?(subject)

        @registered[subject] = @registered.fetch(subject, 0) + difference
      end

      # Whether a callback is running.
      def delivering?
        @delivering.positive?
      end

      # Calls one method of all observers of an object that have it.
      # @param subject [Observable]
      def notify(subject, callback, *arguments)
        subject.headless_observers.each do |observer|
          call(observer, callback, arguments) if observer.respond_to?(callback)
        end
      end

      # @param events [Array<Array>] kind, subject, object(s)
      def deliver(events)
        events.each { |kind, subject, object| tell(kind, subject, object) }
      end

      def deliver_inverse(events)
        events.reverse_each { |kind, subject, object| tell(KINDS.fetch(kind), subject, object) }
      end

      private

      def call(observer, callback, arguments)
        @delivering += 1
        observer.public_send(callback, *arguments)
      rescue StandardError => e
        @errors << "#{observer.class}##{callback}: #{e.class}: #{e.message}"
      ensure
        @delivering -= 1
      end

      def tell(kind, subject, object)
        case kind
        when :element_added then added(subject, object)
        when :element_removed then removed(subject, object)
        when :element_modified then modified(subject, object)
        when :entity_changed then notify(object, :onChangeEntity, object)
        when :definition_removed then definition_removed(subject, object)
        else notify(subject, CALLS.fetch(kind), subject, object)
        end
      end

      def added(entities, elements)
        return if entities.headless_observers.empty?

        elements.each { |element| notify(entities, :onElementAdded, entities, element) }
      end

      def removed(entities, elements)
        return if entities.headless_observers.empty? && @registered.none? do |one, _|
                    one.is_a?(Sketchup::Entity)
                  end

        elements.each do |element|
          notify(element, :onEraseEntity, element)
          notify(entities, :onElementRemoved, entities, element.headless_id)
        end
      end

      def modified(entities, element)
        notify(entities, :onElementModified, entities, element)
        notify(element, :onChangeEntity, element)
      end

      # The host reports the removal of a definition twice.
      def definition_removed(definitions, definition)
        2.times { notify(definitions, :onComponentRemoved, definitions, definition) }
        notify(definition, :onEraseEntity, definition)
      end
    end
  end
end
