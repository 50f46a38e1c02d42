# frozen_string_literal: true

require_relative '../../calls/evaluation'
require_relative '../../calls/failure'

module Vcad
  module Bridge
    module Tools
      module General
        # Running a client's Ruby. The capability eval_ruby is announced by hello, while the owner allows it.
        class Evaluations
          UNDO_NAME = 100

          class << self
            def add_to(table, services)
              evaluations = new(Evaluation.new(settings: services.settings, console: services.console))
              table.add('eval_ruby', effect: :write, slow: true) do |arguments, call|
                evaluations.code(arguments, call)
              end
              table.add('eval_ruby_file', effect: :write, slow: true) do |arguments, call|
                evaluations.file(arguments, call)
              end
            end
          end

          # @param evaluation [Evaluation]
          def initialize(evaluation)
            @evaluation = evaluation
          end

          def code(arguments, call)
            @evaluation.require_allowed
            run(arguments.string('code'), '(eval_ruby)', arguments, call)
          end

          def file(arguments, call)
            @evaluation.require_allowed
            given = arguments.string('file_path')
            path = call.paths.readable(given, argument: 'file_path')
            raise missing(given) unless File.file?(path)

            run(File.read(path, encoding: 'UTF-8'), path, arguments, call)
              .merge('file_path' => path, 'file_name' => File.basename(path))
          end

          private

          def run(code, file, arguments, call)
            undo_name = arguments.string('undo_name', default: nil, max: UNDO_NAME)
            value, output = in_operation(undo_name && call.model, undo_name) do
              @evaluation.run(code, file: file)
            end
            { 'success' => true, 'result' => text(value), 'output' => output }
          end

          # The code may end the operation itself, and then there is nothing to abort.
          def in_operation(model, name)
            return yield unless name

            model.start_operation(name, true)
            finished = false
            result = yield
            finished = model.commit_operation
            result
          ensure
            model.abort_operation if name && !finished
          end

          # The value's own to_s is the client's code too.
          def text(value)
            value.to_s
          rescue StandardError => e
            "#<#{value.class}: to_s failed: #{e.message}>"
          end

          def missing(path)
            Failure.new('RUBY_FILE_NOT_FOUND', "Ruby file not found: #{path}", details: { 'path' => path })
          end
        end
      end
    end
  end
end
