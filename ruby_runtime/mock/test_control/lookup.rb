# frozen_string_literal: true

module Headless
  module TestControl
    # Finding what an argument names.
    module Lookup
      private

      def model
        Sketchup.active_model || raise(ArgumentError, 'there is no model')
      end

      # @return [Sketchup::Entity] of `entity_id` or `persistent_id`
      def entity(arguments)
        found = if arguments['persistent_id']
                  model.find_entity_by_persistent_id(arguments['persistent_id'])
                else
                  model.find_entity_by_id(Integer(arguments['entity_id']))
                end
        found || not_found("entity #{arguments['entity_id'] || arguments['persistent_id']}")
      end

      # @return [Sketchup::ComponentDefinition]
      def definition(arguments)
        id = arguments['definition_id']
        found = model.definitions.find do |one|
          id ? one.entityID == Integer(id) : one.name == arguments['definition_name']
        end
        found || not_found("definition #{id || arguments['definition_name']}")
      end

      # @return [Sketchup::Entities] inside the group or instance `parent_id`, else the root
      def entities_of(arguments)
        id = arguments['parent_id']
        return model.entities unless id

        parent = entity('entity_id' => id)
        parent.is_a?(Sketchup::ComponentDefinition) ? parent.entities : parent.definition.entities
      end

      def not_found(what)
        raise Vcad::Bridge::Failure.new('ENTITY_NOT_FOUND', "there is no #{what}")
      end

      # One undo step, as when a person does it.
      def as_one_step(name)
        model.start_operation(name, true)
        result = yield
        model.commit_operation
        result
      rescue StandardError
        model.abort_operation
        raise
      end

      def identity(entity)
        { 'entity_id' => entity.entityID, 'persistent_id' => entity.persistent_id }
      end
    end
  end
end
