# frozen_string_literal: true

require_relative '../model/entity_lookup'
require_relative '../nodes/catalog'
require_relative '../nodes/edit_context'
require_relative 'applied_versions'
require_relative 'change_queue'
require_relative 'element_observers'
require_relative 'fingerprint'

module Vcad
  module Bridge
    # Noticing what a person changes in the model, for clients that poll.
    module Watching
      # The watched entities and what is to be reported about them. The host's transaction callbacks only
      # raise a flag; the next poll compares fingerprints. Without a watch list, the host's element events
      # are reported instead.
      class WatchList
        Watched = Struct.new(:id, :persistent_id, :entity, :fingerprint, keyword_init: true)

        # @param journal [ModelJournal]
        # @param limit [Integer] ids that may wait to be reported
        # @param after [Integer] see ChangeQueue
        def initialize(journal, limit:, after: 0)
          @journal = journal
          @queue = ChangeQueue.new(limit, after:)
          @applied = AppliedVersions.new(@queue)
          @elements = ElementObservers.new { |id, removed| element_changed(id, removed) }
          @watched = nil
          @started = false
          @own = false
          settle
          journal.subscribe(self)
        end

        # @return [Boolean] false when it was running already
        def start
          resume
          return false if @started

          @started = true
          take_as_known
          attach(@journal.model)
          true
        end

        # @return [Boolean] false when it was not running
        def stop
          return false unless @started

          @started = false
          @watched = nil
          @elements.detach
          @queue.clear
          settle
          true
        end

        # Stops for good, before a reload or the end.
        def close
          stop
          @journal.unsubscribe(self)
        end

        # The client is gone: the host's events are of no use until it comes back.
        def release
          return if @released_at || !@started

          @released_at = @journal.model_revision
          @elements.detach
        end

        # Replaces the list.
        # @return [Array<Integer>] the ids, of either kind, that name nothing
        def watch(model, entity_ids:, persistent_ids:)
          resume
          scan
          @elements.detach
          missing = []
          @watched = {}
          entity_ids.uniq.each { |id| observe(EntityLookup.by_id(model, id)) || (missing << id) }
          persistent_ids.uniq.each do |id|
            observe(EntityLookup.by_persistent_id(model, id)) || (missing << id)
          end
          missing
        end

        # @return [Integer] how many entities are watched
        def length
          @watched ? @watched.length : 0
        end

        # @return [Integer] see ChangeQueue
        def seq
          @queue.seq
        end

        # @param ack [Integer, nil] see ChangeQueue#take
        # @return [Hash] the result of vcad.observer_poll
        def poll(ack: nil)
          if @started
            resume
            scan
          end
          @queue.take(ack)
        end

        # What the block changes in the model is the bridge's own doing and is not reported; what a person did
        # before still is.
        def own_change
          scan
          @own = true
          yield
        ensure
          @own = false
          take_as_known
        end

        # The bridge put a node into the model as this definition shows it.
        def node_applied(definition)
          @applied.record(definition)
        end

        # The bridge removed a node.
        def forget_node(node_id, project_id)
          @applied.forget(node_id, project_id)
        end

        # From the journal, inside the host's transaction.
        def transaction_ended(kind)
          @dirty = true
          @history_moved = true if %i[undo redo].include?(kind)
        end

        # From the journal: entities, ids and versions of the document before mean nothing any more.
        def model_changed(model)
          @watched = {} if @watched
          @applied.clear
          @elements.detach
          settle
          return unless @started

          @queue.model_changed
          attach(model)
        end

        private

        def settle
          @dirty = false
          @history_moved = false
          @released_at = nil
        end

        def attach(model)
          return unless model

          @applied.adopt(model)
          @elements.attach(model) if @watched.nil?
        end

        # Without a listener, element events were not taken.
        def resume
          return unless @released_at

          missed = @watched.nil? && @released_at != @journal.model_revision
          @released_at = nil
          @queue.miss if missed
          @dirty = true
          @history_moved = true
          @elements.attach(@journal.model) if @watched.nil?
        end

        def observe(entity)
          return unless entity&.valid?

          @watched[entity.entityID] = Watched.new(id: entity.entityID, persistent_id: entity.persistent_id,
                                                  entity:, fingerprint: Fingerprint.of(entity))
        end

        def element_changed(id, removed)
          @queue.changed(id, removed:) if @started && !@own
        end

        # Tells what differs from what is known.
        def scan
          return unless @started && @dirty && @journal.model

          @dirty = false
          compare do |watched, now|
            tell(watched, removed: now.nil?) if now != watched.fingerprint
            watched.fingerprint = now
          end
          compare_versions
          @elements.attach(@journal.model) if @watched.nil? && !@released_at
        end

        def tell(watched, removed:)
          @queue.changed(watched.id, removed:, persistent_id: watched.persistent_id)
        end

        def compare_versions
          @applied.compare(@journal.model) if @history_moved
          @history_moved = false
        end

        def take_as_known
          return unless @started && @journal.model

          @dirty = false
          compare { |watched, now| watched.fingerprint = now }
        end

        # Inside an open component the host reads in world coordinates: such entities wait until it is closed.
        def compare
          open = Nodes::EditContext.path(@journal.model)
          (@watched || {}).each_value do |watched|
            entity = find(watched)
            if entity && !open.empty? && being_edited?(open, entity)
              @dirty = true
            else
              yield watched, entity && Fingerprint.of(entity)
            end
          end
        end

        def being_edited?(open, entity)
          open.include?(entity) || Nodes::EditContext.open?(@journal.model, entity)
        end

        # After undo an entity may come back as another object.
        def find(watched)
          return watched.entity if watched.entity.valid?

          entity = EntityLookup.by_persistent_id(@journal.model, watched.persistent_id)
          watched.entity = entity if entity
          entity
        end
      end
    end
  end
end
