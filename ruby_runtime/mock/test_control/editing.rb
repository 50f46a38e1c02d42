# frozen_string_literal: true

module Headless
  module TestControl
    # Changing things, as a person would.
    module Editing
      EDITS = %w[move_mm transformation name layer material locked visible erase].freeze

      def set_attribute(arguments) # rubocop:disable Naming/AccessorMethodName -- the tool's
        target = entity(arguments)
        dictionary = arguments['dict'] || arguments['dictionary'] || raise(ArgumentError, 'dict is missing')
        pair = [arguments['key'], arguments['value']]
        as_one_step('Set Attribute') { target.set_attribute(dictionary, *pair) }
        { 'entity_id' => target.entityID }
      end

      def modify_entity(arguments)
        target = entity(arguments)
        id = target.entityID
        edit = -> { arguments.to_h.slice(*EDITS).compact.each { |name, value| apply(target, name, value) } }
        arguments['as_user'] == false ? edit.call : as_one_step('Edit', &edit)
        { 'entity_id' => id }
      end

      # With `value: null` the mock computes it again.
      def set_manifold(arguments) # rubocop:disable Naming/AccessorMethodName -- the tool's
        targets = arguments['entity_id'] ? [definition_behind(entity(arguments))] : model.definitions.to_a
        targets.each { |one| one.headless_manifold = arguments['value'] }
        { 'manifold' => arguments['value'] }
      end

      def undo(arguments)
        (arguments['steps'] || 1).times { Sketchup.undo }
        stacks
      end

      def redo(arguments)
        (arguments['steps'] || 1).times { Sketchup.redo }
        stacks
      end

      # A person enters a component; null leaves all.
      def open_path(arguments)
        ids = arguments['entity_ids']
        model.active_path = ids && ids.map { |id| entity('entity_id' => id) }
        { 'active_path' => ids }
      end

      def select(arguments)
        chosen = (arguments['entity_ids'] || []).map { |id| entity('entity_id' => id) }
        model.selection.clear
        model.selection.add(chosen) unless chosen.empty?
        { 'count' => chosen.size }
      end

      private

      def stacks
        journal = model.headless_journal
        { 'undo_stack' => journal.undo_names, 'redo_stack' => journal.redo_names }
      end

      def apply(target, name, value)
        case name
        when 'move_mm' then move(target, value)
        when 'transformation' then target.transformation = Millimetres.transformation(value)
        when 'layer' then target.layer = model.layers.add(value)
        when 'material' then target.material = model.materials[value] || model.materials.add(value)
        when 'erase' then erase(target) if value
        else target.public_send(:"#{name}=", value)
        end
      end

      def move(target, offset)
        vector = Millimetres.point(offset) - Geom::Point3d.new
        target.transform!(Geom::Transformation.translation(vector))
      end

      def erase(target)
        target.is_a?(Sketchup::ComponentDefinition) ? model.definitions.remove(target) : target.erase!
      end

      def definition_behind(entity)
        entity.is_a?(Sketchup::ComponentDefinition) ? entity : entity.definition
      end
    end
  end
end
