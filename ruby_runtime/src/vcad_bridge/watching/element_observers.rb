# frozen_string_literal: true

module Vcad
  module Bridge
    module Watching
      # Observers on the entities of a model's root and of each definition, for clients without a watch list.
      # They hand on ids and nothing else.
      class ElementObservers
        # @yieldparam id [Integer] entityID
        # @yieldparam removed [Boolean]
        def initialize(&tell)
          @tell = tell
          detach
        end

        # Observes what is not observed yet; importers do not reliably report new definitions.
        def attach(model)
          detach unless model == @model
          @model = model
          [model, *model.definitions.to_a].each { |parent| observe(parent) }
        end

        def detach
          (@observed || {}).each do |parent, observer|
            parent.entities.remove_observer(observer) if parent.valid?
          end
          @observed = {}.compare_by_identity
          @model = nil
        end

        # What the host tells about the entities of one parent.
        class ElementObserver < Sketchup::EntitiesObserver
          # @param parent [Sketchup::Model, Sketchup::ComponentDefinition]
          def initialize(parent, tell)
            super()
            @parent = parent
            @root = parent.is_a?(Sketchup::Model)
            @tell = tell
          end

          def onElementAdded(_entities, entity)
            changed(entity)
          end

          def onElementModified(_entities, entity)
            changed(entity)
          end

          # Of a definition that is going away altogether, only what showed it matters.
          def onElementRemoved(_entities, id)
            return unless @parent.valid?

            @tell.call(id, true)
            tell_instances
          end

          private

          # Inside a definition, faces and edges stand for the places where that definition shows.
          def changed(entity)
            return unless @parent.valid?

            container = entity.is_a?(Sketchup::Group) || entity.is_a?(Sketchup::ComponentInstance)
            @tell.call(entity.entityID, false) if entity.valid? && (@root || container)
            tell_instances
          end

          def tell_instances
            return if @root

            @parent.instances.each { |instance| @tell.call(instance.entityID, false) if instance.valid? }
          end
        end

        private

        # The reference in @observed keeps the observer alive.
        def observe(parent)
          return if @observed.key?(parent)

          @observed[parent] = ElementObserver.new(parent, @tell)
          parent.entities.add_observer(@observed[parent])
        end
      end
    end
  end
end
