# frozen_string_literal: true

require_relative '../calls/failure'

module Vcad
  module Bridge
    module Server
      # Refuses a call that was meant for another document: on macOS several can be open, and the focus may
      # change between two calls.
      module ModelGuard
        ARGUMENT = 'expected_model_path'
        HINT = 'Bring that document to the front in SketchUp, or call open_model.'
        private_constant :HINT

        # @param arguments [Hash] raw arguments of the tool
        # @param model [Sketchup::Model, nil]
        # @return [Hash] the arguments without the guard's own. Raises Failure WRONG_MODEL.
        def self.check(arguments, model, operation)
          return arguments unless arguments.key?(ARGUMENT)

          expected = arguments[ARGUMENT]
          rest = arguments.reject { |name, _| name == ARGUMENT }
          return rest if expected.nil? || expected == '' || same_file?(expected, model)

          raise wrong_model(expected, model, operation)
        end

        def self.same_file?(expected, model)
          return false unless expected.is_a?(String) && expected.valid_encoding? && !expected.include?("\0")

          path = model&.path.to_s
          return false if path.empty?

          File.absolute_path(expected) == File.absolute_path(path) || File.identical?(expected, path)
        end
        private_class_method :same_file?

        def self.wrong_model(expected, model, operation)
          path = model&.path.to_s
          details = { 'expected_model_path' => expected, 'active_model_path' => path.empty? ? nil : path,
                      'active_model_title' => model&.title, 'operation' => operation }
          Failure.new('WRONG_MODEL', "The active model is not #{expected}", details: details, hint: HINT)
        end
        private_class_method :wrong_model
      end
    end
  end
end
