# frozen_string_literal: true

module Sketchup
  # A definition at one place.
  class ComponentInstance < Drawingelement
    include Headless::Placed

    def initialize(owner, definition, transformation)
      super(owner)
      @definition = definition
      @matrix = Headless::Coordinates.matrix(transformation).dup.freeze
      @name = ''
    end

    # @return [Sketchup::ComponentDefinition]
    attr_reader :definition

    # Shows another definition here; identity, place, layer, material, name, lock and attributes stay.
    # @raise [ArgumentError] when the definition would contain itself, or this instance is on the active path
    def definition=(definition)
      mode = Headless.failures.due('definition_set')
      Headless.failures.raise_injected('definition_set') if mode == 'raise'
      return if mode || Headless::Locking.refused?(self)
      raise ArgumentError, 'a ComponentDefinition is needed' unless definition.is_a?(ComponentDefinition)
      return if definition.equal?(@definition)

      check(definition)
      headless_journal.step('Replace Component') { headless_rebind(definition) }
    end

    private

    def check(definition)
      Headless::Guard.refuse(definition) if definition.deleted?
      @owner.headless_refuse_recursion(definition)
      unless Headless::ACTIVE_PATH_DEFINITION_SET == 'raise' && @model.headless_edit_path.include?(self)
        return
      end

      raise ArgumentError, 'the definition of an instance on the active path cannot be replaced'
    end
  end
end
