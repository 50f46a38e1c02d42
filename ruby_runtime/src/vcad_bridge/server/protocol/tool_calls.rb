# frozen_string_literal: true

require_relative '../../calls/arguments'
require_relative '../../calls/call'
require_relative '../../calls/failure'
require_relative '../model_guard'
require_relative 'replay_memory'

module Vcad
  module Bridge
    module Server
      # tools/call: finds the tool, guards the document, runs it once per request_id, stamps what it changed.
      class ToolCalls
        def initialize(services)
          @services = services
          @memory = ReplayMemory.new(clock: services.clock)
        end

        # @param params [Object] raw params of tools/call
        # @return [Object] the tool's result. Raises Failure with details.operation.
        def run(params, session)
          name, arguments, request_id = read(params)
          tool = @services.registry.fetch(name)
          return perform(tool, arguments, session, nil) unless tool.write? && request_id

          replay(tool, request_id, session) || remember(tool, arguments, request_id, session)
        end

        # @return [Hash] revision and time, for results of mutating tools and for errors
        def stamps(started)
          revision.merge('elapsed_ms' => ((@services.clock.call - started) * 1000.0).round(3))
        end

        # @return [Hash] model_revision and model_epoch
        def revision
          journal = @services.journal
          { 'model_revision' => journal.model_revision, 'model_epoch' => journal.model_epoch }
        end

        private

        def read(params)
          raise Arguments.invalid('params', 'an object') unless params.is_a?(Hash)

          name, arguments, request_id = params.values_at('name', 'arguments', 'request_id')
          raise Arguments.invalid('params.name', 'a string') unless name.is_a?(String)
          unless arguments.nil? || arguments.is_a?(Hash)
            raise labelled(Arguments.invalid('params.arguments', 'an object or null'), name)
          end
          unless request_id.nil? || (request_id.is_a?(String) && request_id.length.between?(1, 128))
            raise labelled(Arguments.invalid('params.request_id', 'a string of 1 to 128 characters'), name)
          end

          [name, arguments || {}, request_id]
        end

        def perform(tool, arguments, session, request_id)
          started = @services.clock.call
          call = Call.new(tool: tool.name, session: session, services: @services, request_id: request_id)
          arguments = guard(tool, arguments)
          result = @services.registry.call(tool.name, Arguments.new(arguments), call)
          tool.write? && result.is_a?(Hash) ? stamped(result, started) : result
        rescue Failure => e
          raise labelled(e, call.operation)
        rescue NoMemoryError, SignalException
          raise
        rescue Exception => e # rubocop:disable Lint/RescueException -- also SystemExit and ScriptError
          @services.log.failure(tool.name, e)
          raise Failure.internal(call.operation, e)
        end

        def guard(tool, arguments)
          return arguments.reject { |name, _| name == ModelGuard::ARGUMENT } unless tool.guarded

          ModelGuard.check(arguments, Sketchup.active_model, tool.name)
        end

        def stamped(result, started)
          result.transform_keys(&:to_s).merge(stamps(started))
        end

        def labelled(failure, operation)
          return failure if failure.details.key?('operation') || failure.details.key?(:operation)

          details = failure.details.merge('operation' => operation)
          copy = Failure.new(failure.error_code, failure.message, details: details, hint: failure.hint)
          copy.set_backtrace(failure.backtrace)
          copy
        end

        def remember(tool, arguments, request_id, session)
          started = @services.clock.call
          result = perform(tool, arguments, session, request_id)
          @memory.remember(session.owner, request_id, tool.name, 'result', result)
          result
        rescue Failure => e
          kept = Failure.new(e.error_code, e.message, details: stamps(started).merge(e.details), hint: e.hint)
          @memory.remember(session.owner, request_id, tool.name, 'error', kept)
          raise kept
        end

        # @return [Object, nil] the remembered result; raises the remembered failure
        def replay(tool, request_id, session)
          entry = @memory.recall(session.owner, request_id)
          return nil unless entry

          if entry.tool != tool.name
            raise labelled(
              Arguments.invalid('params.request_id', "a new value; #{entry.tool} used this one"), tool.name
            )
          end
          return entry.value.merge('replayed' => true) if entry.member == 'result'

          failure = entry.value
          details = failure.details.merge('replayed' => true)
          raise Failure.new(failure.error_code, failure.message, details: details, hint: failure.hint)
        end
      end
    end
  end
end
