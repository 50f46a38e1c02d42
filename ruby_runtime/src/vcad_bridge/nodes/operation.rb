# frozen_string_literal: true

require_relative '../calls/failure'

module Vcad
  module Bridge
    module Nodes
      # One undo step: committed as a whole, or aborted so that the model is what it was.
      module Operation
        # What the host's API raises for something it refuses. A NameError is a bug of ours and stays one.
        REFUSALS = [ArgumentError, TypeError, RuntimeError, IOError, SystemCallError].freeze

        module_function

        # @yield the changes; must neither open an operation nor set the active path
        # @return [Object] what the block returns; raises OPERATION_FAILED for what the host refuses
        def run(model, name)
          model.start_operation(name, true)
          committed = false
          begin
            result = yield
            committed = model.commit_operation
          ensure
            model.abort_operation unless committed
          end
          raise refused(name, 'the operation could not be committed') unless committed

          result
        rescue *REFUSALS => e
          raise refused(name, e.message, e.class)
        end

        def refused(name, reason, kind = nil)
          Failure.new('OPERATION_FAILED', "#{name}: SketchUp refused it: #{reason}",
                      details: { 'step' => name, 'reason' => reason, 'class' => kind&.name })
        end
      end
    end
  end
end
