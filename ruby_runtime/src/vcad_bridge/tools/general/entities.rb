# frozen_string_literal: true

require_relative '../../calls/arguments'
require_relative '../../model/entity_lookup'
require_relative '../../calls/failure'
require_relative 'entity_detail'
require_relative 'entity_rows'

module Vcad
  module Bridge
    module Tools
      module General
        # Listings of entities, one entity in full, and the selection.
        module Entities
          KINDS = {
            'faces' => ->(entity) { entity.is_a?(Sketchup::Face) },
            'edges' => ->(entity) { entity.is_a?(Sketchup::Edge) },
            'groups' => ->(entity) { entity.is_a?(Sketchup::Group) },
            'components' => ->(entity) { entity.is_a?(Sketchup::ComponentInstance) },
            'all' => ->(_entity) { true }
          }.freeze
          PAGE = 1000
          LARGEST_PAGE = 10_000
          DEFINITION = /\Adefinition:(.+)\z/m

          class << self
            def add_to(table, _services)
              table.add('list_entities', effect: :read) { |arguments, call| list(arguments, call.model) }
              table.add('get_entity', effect: :read) { |arguments, call| entity(arguments, call.model) }
              table.add('get_selection', effect: :read) { |_, call| selection(call.model) }
              table.add('resources/list', effect: :read) { |_, _| resources(Sketchup.active_model) }
            end

            # @return [Sketchup::Entity] raises Failure ENTITY_NOT_FOUND or INVALID_PARAMS
            def find(arguments, model)
              if arguments.given?('persistent_id')
                id = arguments.integer('persistent_id', digits: true)
                entity = EntityLookup.by_persistent_id(model, id)
              else
                id = arguments.integer('entity_id', digits: true)
                entity = EntityLookup.by_id(model, id)
              end
              entity&.valid? ? entity : raise(missing(id))
            end

            # @return [Failure] ENTITY_NOT_FOUND
            def missing(id)
              Failure.new('ENTITY_NOT_FOUND', "Entity not found: #{id}",
                          details: { 'entity_id' => id },
                          hint: 'An entity_id lives as long as the document is open; a persistent_id stays.')
            end

            private

            def list(arguments, model)
              kind = arguments.one_of('entity_type', KINDS.keys, default: 'all')
              offset = arguments.integer('offset', default: 0, range: (0..))
              limit = arguments.integer('limit', default: PAGE, range: 1..LARGEST_PAGE)
              entities = scope(arguments, model).select(&KINDS.fetch(kind))
              rows = (entities[offset, limit] || []).map { |entity| EntityRows.row(entity) }
              following = offset + rows.length
              { 'success' => true, 'entity_type' => kind, 'count' => rows.length, 'entities' => rows,
                'total' => entities.length, 'next_offset' => following < entities.length ? following : nil }
            end

            def scope(arguments, model)
              wanted = arguments.string('scope', default: 'root')
              return model.entities if wanted == 'root'
              return model.active_entities if wanted == 'active'

              name = wanted[DEFINITION, 1] || arguments.refuse('scope', 'root, active or definition:<name>')
              definition = model.definitions.find { |candidate| candidate.name == name }
              definition&.entities || arguments.refuse('scope', 'the name of a definition in the model')
            end

            def entity(arguments, model)
              { 'success' => true, 'entity' => EntityDetail.of(find(arguments, model)) }
            end

            def selection(model)
              rows = model.selection.to_a.map do |entity|
                EntityRows.row(entity, layers: false, normals: true)
              end
              { 'success' => true, 'count' => rows.length, 'entities' => rows }
            end

            def resources(model)
              rows = model ? model.entities.to_a.map { |entity| resource(entity) } : []
              { 'resources' => rows, 'success' => true }
            end

            def resource(entity)
              box = entity.bounds if entity.respond_to?(:bounds)
              { 'id' => entity.entityID, 'type' => EntityRows.resource_type(entity),
                'bounds' => Millimetres.empty?(box) ? nil : corners(box) }
            end

            def corners(box)
              { 'min' => inches(box.min), 'max' => inches(box.max), 'center' => inches(box.center) }
            end

            def inches(point)
              point.to_a.map(&:to_f)
            end
          end
        end
      end
    end
  end
end
