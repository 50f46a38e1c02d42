# frozen_string_literal: true

module Vcad
  module Bridge
    # Components that stand for the workbench's nodes.
    module Nodes
      # The attribute dictionary that marks a definition as a node, and an instance as one of the workbench's.
      module Metadata
        DICTIONARY = 'vcad'
        NODE_ID = /\A[A-Za-z0-9._:-]{1,128}\z/
        FIRST_VERSION = 1

        module_function

        # @return [String, nil]
        def node_id(definition)
          definition.get_attribute(DICTIONARY, 'node_id')
        end

        # @return [String, nil] as it was given
        def source_file(definition)
          definition.get_attribute(DICTIONARY, 'source_file')
        end

        # @return [Integer] 0 where none was written
        def version(definition)
          definition.get_attribute(DICTIONARY, 'version', 0).to_i
        end

        # @return [String, nil] the workbench's name of one instance
        def instance_id(instance)
          instance.get_attribute(DICTIONARY, 'instance_id')
        end

        def mark_definition(definition, node_id:, source_file:, version:)
          definition.set_attribute(DICTIONARY, 'node_id', node_id)
          definition.set_attribute(DICTIONARY, 'source_file', source_file || '')
          definition.set_attribute(DICTIONARY, 'version', version)
        end

        def mark_instance(instance, instance_id)
          instance.set_attribute(DICTIONARY, 'instance_id', instance_id)
        end
      end
    end
  end
end
