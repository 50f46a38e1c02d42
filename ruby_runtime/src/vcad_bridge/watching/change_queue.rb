# frozen_string_literal: true

module Vcad
  module Bridge
    module Watching
      # What waits to be delivered, and what was delivered but not yet acknowledged.
      class ChangeQueue
        # How many answers are kept for a client whose reply got lost.
        KEPT_ANSWERS = 64

        # One answer: ids in the order in which they changed first, with persistent ids where they are known.
        Batch = Struct.new(:seq, :changed, :removed, :reverted, :dropped, :model_changed,
                           keyword_init: true) do
          def self.empty
            new(seq: 0, changed: {}, removed: {}, reverted: {}, dropped: 0, model_changed: false)
          end

          def empty?
            changed.empty? && reverted.empty? && dropped.zero? && !model_changed
          end

          def add(other)
            changed.merge!(other.changed)
            removed.merge!(other.removed)
            reverted.merge!(other.reverted)
            self.dropped += other.dropped
            self.model_changed ||= other.model_changed
            self
          end
        end

        # @return [Integer] the number of the last answer that reported anything
        attr_reader :seq

        # @param limit [Integer] ids that may wait; more are counted as dropped
        # @param after [Integer] answers up to this number were another queue's
        def initialize(limit, after: 0)
          @limit = limit
          @seq = after
          clear
        end

        # Forgets everything that waits or was kept; the sequence goes on.
        def clear
          @pending = Batch.empty
          @answers = []
          @forgotten = @seq
        end

        # @param id [Integer] entityID; counted as dropped when the queue is full
        # @param persistent_id [Integer, nil] where it is known
        def changed(id, removed: false, persistent_id: nil)
          return @pending.dropped += 1 unless @pending.changed.key?(id) || @pending.changed.length < @limit

          @pending.changed[id] = persistent_id
          removed ? @pending.removed[id] = true : @pending.removed.delete(id)
        end

        # Something may have changed unseen.
        def miss
          @pending.dropped += 1
        end

        # @param project_id [String, nil] whose node it is
        # @param version [Integer, nil] what stands in the model; nil when the node is gone
        def reverted(project_id, node_id, version, applied_version)
          whose = project_id ? { 'project_id' => project_id } : {}
          @pending.reverted[[project_id, node_id]] = { 'node_id' => node_id, 'version' => version,
                                                       'applied_version' => applied_version, **whose }
        end

        # Another document is in front: what waited belongs to the one before.
        def model_changed
          clear
          @pending.model_changed = true
        end

        # @param ack [Integer, nil] the last `seq` that arrived; all after it is delivered again
        # @return [Hash] the answer to a poll
        def take(ack = nil)
          lost = !ack.nil? && ack < @forgotten
          keep(@pending)
          delivered = Batch.empty
          delivered_before(ack).each { |batch| delivered.add(batch) }
          delivered.add(@pending)
          @pending = Batch.empty
          answer(delivered, lost)
        end

        private

        def keep(batch)
          return if batch.empty?

          @seq += 1
          batch.seq = @seq
          @answers << batch
          @forgotten = @answers.shift.seq while @answers.length > KEPT_ANSWERS
        end

        def delivered_before(ack)
          return [] if ack.nil?

          @answers.reject! { |batch| batch.seq <= ack }
          @answers.reject { |batch| batch.equal?(@pending) }
        end

        def answer(delivered, lost)
          { 'changed_entity_ids' => delivered.changed.keys,
            'changed_persistent_ids' => delivered.changed.values.compact,
            'removed_entity_ids' => delivered.removed.keys,
            'reverted_nodes' => delivered.reverted.values, 'queue_size' => delivered.changed.length,
            'dropped' => delivered.dropped, 'seq' => @seq,
            'overflow' => delivered.dropped.positive? || lost, 'model_changed' => delivered.model_changed }
        end
      end
    end
  end
end
