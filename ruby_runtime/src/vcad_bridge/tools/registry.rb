# frozen_string_literal: true

require_relative '../calls/failure'

module Vcad
  module Bridge
    module Tools
      # The table of tools. What is registered here is what hello announces and tools/call reaches.
      class Registry
        EFFECTS = %i[read write control].freeze

        # effect: :read (safe to repeat) | :write (stamped and remembered for request_id) | :control
        # guarded: whether expected_model_path is checked before the tool runs
        Tool = Struct.new(:name, :effect, :slow, :capability, :guarded, :body, keyword_init: true) do
          def write?
            effect == :write
          end
        end

        def initialize
          @tools = {}
          @capabilities = []
        end

        # @yieldparam arguments [Arguments]
        # @yieldparam call [Call]
        # @yieldreturn [Hash, Array] plain JSON values; lengths already converted to Float
        # @param capability [String, Array<String>, nil] announced in hello while the tool is registered
        def add(name, effect:, slow: false, capability: nil, guarded: true, &body)
          raise ArgumentError, "unknown effect #{effect.inspect}" unless EFFECTS.include?(effect)
          raise ArgumentError, "tool #{name} has no body" unless body
          raise ArgumentError, "tool #{name} is registered already" if @tools.key?(name)

          @tools[name] = Tool.new(name: name, effect: effect, slow: slow, capability: capability,
                                  guarded: guarded, body: body)
        end

        # @return [Tool] raises Failure TOOL_NOT_FOUND
        def fetch(name)
          @tools.fetch(name) do
            raise Failure.new('TOOL_NOT_FOUND', "Unknown tool: #{name}",
                              details: { 'operation' => name.to_s })
          end
        end

        # Runs a tool.
        # @param arguments [Arguments]
        # @return [Hash, Array] what the tool answers
        def call(name, arguments, call)
          fetch(name).body.call(arguments, call)
        end

        def include?(name)
          @tools.key?(name)
        end

        def names
          @tools.keys
        end

        # Announces something that is not a tool of its own, e.g. an extra argument.
        def announce(capability)
          @capabilities << capability
        end

        # @return [Array<String>] sorted
        def capabilities
          (@capabilities + @tools.values.flat_map { |tool| Array(tool.capability) }).uniq.sort
        end

        # @return [Array<String>] tools for which clients should wait longer
        def slow_tools
          @tools.values.select(&:slow).map(&:name).sort
        end
      end
    end
  end
end
