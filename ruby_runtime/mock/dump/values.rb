# frozen_string_literal: true

module Headless
  module Dump
    # Attribute values as JSON and back; what JSON has no type for is tagged.
    module Values
      module_function

      def dump(value)
        case value
        when Length then { 'length' => value.to_f }
        when Geom::Point3d then { 'point' => value.to_a.map(&:to_f) }
        when Geom::Vector3d then { 'vector' => value.to_a.map(&:to_f) }
        when Time then { 'time' => [value.to_i, value.nsec] }
        when Sketchup::Color then { 'color' => value.to_a }
        when Array then value.map { |inner| dump(inner) }
        else value
        end
      end

      def load(value)
        return value.map { |inner| load(inner) } if value.is_a?(Array)
        return value unless value.is_a?(Hash)

        tag, plain = value.first
        MAKERS.fetch(tag).call(plain)
      end

      MAKERS = {
        'length' => ->(inches) { inches.to_l },
        'point' => ->(values) { Geom::Point3d.new(*values) },
        'vector' => ->(values) { Geom::Vector3d.new(*values) },
        'time' => ->((seconds, nanoseconds)) { Time.at(seconds, nanoseconds, :nsec) },
        'color' => ->(values) { Sketchup::Color.new(*values) }
      }.freeze
      private_constant :MAKERS

      # @return [Hash] dictionary to key to value; empty dictionaries stay
      def attributes(entity)
        (entity.attribute_dictionaries || []).to_h do |dictionary|
          [dictionary.name, dictionary.keys.to_h { |key| [key, dump(dictionary[key])] }]
        end
      end

      def write_attributes(entity, attributes)
        (attributes || {}).each do |name, values|
          entity.attribute_dictionary(name, true)
          values.each { |key, value| entity.set_attribute(name, key, load(value)) }
        end
      end
    end
  end
end
