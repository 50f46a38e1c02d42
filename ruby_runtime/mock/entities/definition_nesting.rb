# frozen_string_literal: true

module Headless
  # What definitions say about being placed inside one another.
  module DefinitionNesting
    # How often it appears in the model, each path counted.
    # @return [Integer]
    def count_used_instances
      headless_instances.sum do |instance|
        holder = instance.headless_owner.headless_definition
        holder ? holder.count_used_instances : 1
      end
    end

    # Whether it is somewhere in the model.
    def headless_used?
      headless_instances.any? do |instance|
        holder = instance.headless_owner.headless_definition
        holder.nil? || holder.headless_used?
      end
    end

    # Whether it is the other definition, or contains it at some depth.
    def headless_contains?(other)
      return true if equal?(other)

      headless_entities.headless_placed.map(&:headless_definition).uniq.any? do |inner|
        inner.headless_contains?(other)
      end
    end

    # @return [Sketchup::ComponentDefinition] the same under another name
    def headless_copy
      copy = headless_model.definitions.headless_add(group? ? '' : name, group: group?)
      copy.description = description
      behavior.headless_values.each { |key, value| copy.behavior.public_send(:"#{key}=", value) }
      Regrouping.copy(headless_entities, copy.headless_entities)
      copy.headless_copy_attributes(self)
      copy
    end
  end
end
