# frozen_string_literal: true

module Headless
  module TestControl
    # Looking at everything.
    module State
      def get_entity(arguments)
        Description.of(entity(arguments))
      end

      # With `full`, entities inside definitions as well.
      def get_state(arguments)
        { 'title' => model.title, 'path' => model.path, 'modified' => model.modified?,
          'entities' => model.entities.map { |one| Description.of(one) },
          'definitions' => model.definitions.map { |one| definition_row(one, arguments['full']) },
          'timers' => Headless.host.timers.size }
          .merge(counts, operations, complaints, attention)
      end

      def gaps(_arguments)
        { 'gaps' => Headless.host.gaps.to_a }
      end

      # @return [Hash] where the canonical JSON was written; also as `digest`
      def dump(arguments)
        text = Dump.canonical(model)
        File.write(arguments['path'], text) if arguments['path']
        { 'path' => arguments['path'], 'digest' => Digest::SHA256.hexdigest(text), 'bytes' => text.bytesize }
      end

      private

      def counts
        { 'entity_count' => model.entities.size, 'definition_count' => model.definitions.size,
          'material_count' => model.materials.size, 'layer_count' => model.layers.size,
          'collapsed_faces' => model.headless_collapsed_faces }
      end

      # What the user is looking into.
      def attention
        { 'active_path' => model.active_path&.map(&:entityID),
          'selection' => model.selection.map(&:entityID) }
      end

      def operations
        journal = model.headless_journal
        { 'undo_stack' => journal.undo_names, 'redo_stack' => journal.redo_names,
          'open_operation' => journal.open_operation }
      end

      def complaints
        { 'observers' => Observers.counts, 'observer_errors' => Observers.errors,
          'observer_mutation' => Headless.host.observer_mutation || false, 'gaps' => Headless.host.gaps.to_a,
          'asked' => Headless.host.answers.asked }
      end

      def definition_row(definition, full)
        row = Description.of(definition)
        row['entities'] = definition.entities.map { |one| Description.of(one) } if full
        row
      end
    end
  end
end
