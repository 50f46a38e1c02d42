# frozen_string_literal: true

module Vcad
  module Bridge
    # The JSON-RPC number of every stable error_code; programs look at the name, not at the number.
    module ErrorCodes
      BY_NUMBER = {
        -32_700 => %w[PARSE_ERROR],
        -32_600 => %w[INVALID_REQUEST BATCH_UNSUPPORTED HELLO_REQUIRED INVALID_HELLO],
        -32_601 => %w[METHOD_NOT_FOUND TOOL_NOT_FOUND],
        -32_602 => %w[INVALID_PARAMS SCHEMA_VALIDATION_FAILED IMPORT_FORM_INVALID],
        -32_603 => %w[INTERNAL_ERROR],
        -32_000 => %w[RUBY_ERROR RUBY_FILE_NOT_FOUND IMPORT_DEFINITION_NOT_FOUND IMPORT_SCALE_MISMATCH
                      EXPORT_FAILED SAVE_FAILED ENTITY_NOT_SOLID SOLID_IMPORT_UNAVAILABLE NO_TRANSFORMATION
                      OPERATION_FAILED],
        -32_001 => %w[AUTH_REQUIRED AUTH_INVALID],
        -32_002 => %w[PATH_NOT_ALLOWED],
        -32_003 => %w[STATE_CHANGED BUSY BUSY_EDITING WRONG_MODEL MODEL_UNAVAILABLE EVAL_DISABLED
                      APPROVAL_REQUIRED APPROVAL_DENIED],
        -32_004 => %w[NODE_NOT_FOUND ENTITY_NOT_FOUND NODE_AMBIGUOUS],
        -32_005 => %w[PAYLOAD_TOO_LARGE QUEUE_FULL],
        -32_006 => %w[CANCELLED TIMEOUT],
        -32_007 => %w[PROTOCOL_MISMATCH CAPABILITY_UNAVAILABLE]
      }.freeze

      NUMBERS = BY_NUMBER.each_with_object({}) do |(number, names), numbers|
        names.each { |name| numbers[name] = number }
      end.freeze

      # @param name [String] an error_code of the protocol
      # @return [Integer] raises KeyError for a name that the protocol does not know
      def self.number(name)
        NUMBERS.fetch(name)
      end
    end
  end
end
