# frozen_string_literal: true

require_relative '../calls/failure'
require_relative 'general/pictures/batch_screenshots'
require_relative 'general/documents'
require_relative 'general/entities'
require_relative 'general/evaluations'
require_relative 'general/exports'
require_relative 'general/model_facts'
require_relative 'general/pictures/screenshots'
require_relative 'general/status'

module Vcad
  module Bridge
    module Tools
      # The tools that are not about nodes. Lengths are the host's inches, because that is what callers of
      # the older runtime get; `*_mm` values stand beside them.
      module General
        PARTS = [Status, ModelFacts, Entities, Screenshots, BatchScreenshots, Documents, Exports,
                 Evaluations].freeze

        # Registers a tool that answers `success: false`, and no error, while the host shows no model.
        class Table
          def initialize(registry)
            @registry = registry
          end

          def add(name, **options, &body)
            @registry.add(name, **options) do |arguments, call|
              body.call(arguments, call)
            rescue Failure => e
              raise unless e.error_code == 'MODEL_UNAVAILABLE'

              General.negative('MODEL_UNAVAILABLE', e.message)
            end
          end
        end

        # @param registry [Registry]
        # @param services [Services]
        def self.add_to(registry, services)
          table = Table.new(registry)
          PARTS.each { |part| part.add_to(table, services) }
        end

        # @return [Hash] an expected negative outcome, returned as a result
        def self.negative(error_code, text, **more)
          { 'success' => false, 'error' => text,
            'error_code' => error_code }.merge(more.transform_keys(&:to_s))
        end
      end
    end
  end
end
