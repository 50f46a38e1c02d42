# frozen_string_literal: true

require_relative '../../calls/failure'

module Vcad
  module Bridge
    module Tools
      module Vcad
        # undo and redo. The host's undo stack cannot be read; model_revision tells whether the top entry is
        # still the one the caller knows.
        class HistoryTools
          MOST_STEPS = 1000

          # @param journal [ModelJournal]
          def initialize(journal)
            @journal = journal
          end

          def add_to(registry)
            registry.add('undo', effect: :write) { |arguments, call| walk(arguments, call) { Sketchup.undo } }
            registry.add('redo', effect: :write) { |arguments, call| walk(arguments, call) { Sketchup.redo } }
          end

          private

          def walk(arguments, call, &block)
            call.model
            steps = arguments.integer('steps', default: 1, range: 1..MOST_STEPS)
            expect(arguments.integer('expected_model_revision', default: nil))
            done = (1..steps).take_while { moved?(&block) }.length
            result = { 'success' => done == steps, 'steps' => done,
                       'model_revision' => @journal.model_revision }
            return result if done == steps

            result.merge('error' => "Only #{done} of #{steps} steps were possible",
                         'error_code' => 'OPERATION_FAILED')
          end

          def expect(revision)
            return if revision.nil? || revision == @journal.model_revision

            raise Failure.new('STATE_CHANGED', 'The model has changed since the caller looked',
                              details: { 'expected_model_revision' => revision,
                                         'model_revision' => @journal.model_revision },
                              hint: 'List the nodes and decide again.')
          end

          # The host does not say whether there was anything to undo; the journal does.
          def moved?
            before = @journal.model_revision
            yield
            @journal.model_revision > before
          end
        end
      end
    end
  end
end
