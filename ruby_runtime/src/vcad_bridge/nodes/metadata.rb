# frozen_string_literal: true

module Vcad
  module Bridge
    # Components that stand for the workbench's nodes.
    module Nodes
      # Whose a node is, and which geometry it shows: what a client says with each change. All nil for a
      # client that knows nothing of projects.
      #
      # project_id: whose · digest: of the geometry · pushed_by: the session's id
      Identity = Struct.new(:project_id, :digest, :pushed_by, keyword_init: true) do
        # @return [Hash{String=>String}] what of it is said
        def marks
          { 'project_id' => project_id, 'digest' => digest, 'pushed_by' => pushed_by }.compact
        end
      end

      # The attribute dictionary that marks a definition as a node, and an instance as one of the workbench's.
      module Metadata
        DICTIONARY = 'vcad'
        NODE_ID = /\A[A-Za-z0-9._:-]{1,128}\z/
        FIRST_VERSION = 1
        # Of the geometry that stands there, and no word about any that takes its place.
        OF_GEOMETRY = %w[digest pushed_by].freeze

        module_function

        # @return [String, nil]
        def node_id(definition)
          definition.get_attribute(DICTIONARY, 'node_id')
        end

        # @return [String, nil] nil for one of a client that knows nothing of projects
        def project_id(definition)
          definition.get_attribute(DICTIONARY, 'project_id')
        end

        # @return [String, nil] names the geometry, as it was given
        def digest(definition)
          definition.get_attribute(DICTIONARY, 'digest')
        end

        # @return [String, nil] the session that wrote it
        def pushed_by(definition)
          definition.get_attribute(DICTIONARY, 'pushed_by')
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

        # @return [Boolean] whether the instance carries the mark of its definition's project, or of none; a
        #   person's copy does. Not one that a person has had show another project's part.
        def marked?(instance)
          return false if instance.attribute_dictionary(DICTIONARY).nil?

          [nil, project_id(instance.definition)].include?(project_id(instance))
        end

        # @param identity [Identity] of it, what is said
        def mark_definition(definition, identity, node_id:, source_file:, version:)
          write(definition, { 'node_id' => node_id, 'source_file' => source_file || '',
                              'version' => version }.merge(identity.marks))
        end

        # Has an instance say what its definition says; a name that it has it keeps.
        # @param instance_id [String, nil] a new one
        def mark_instance(instance, instance_id = nil)
          write(instance, 'instance_id' => instance_id) if instance_id
          definition = instance.definition
          return unless project_id(definition)

          write(instance, %w[project_id node_id digest pushed_by version].to_h do |key|
            [key, definition.get_attribute(DICTIONARY, key)]
          end)
        end

        def write(entity, values)
          values.each do |key, value|
            if value.nil?
              entity.delete_attribute(DICTIONARY, key)
            else
              entity.set_attribute(DICTIONARY, key, value)
            end
          end
        end
      end
    end
  end
end
