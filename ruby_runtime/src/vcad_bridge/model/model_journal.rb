# frozen_string_literal: true

module Vcad
  module Bridge
    # Counts what happens to the active model and follows the document switches of the host.
    #
    # model_revision grows with each commit, undo and redo; model_epoch with each document that is opened,
    # created or activated. Observers here only count and raise flags: they run inside the host's
    # transactions.
    class ModelJournal
      # @return [Integer]
      attr_reader :model_revision, :model_epoch
      # @return [Sketchup::Model, nil] the document under observation
      attr_reader :model

      # @param clock [#call, nil] accepted so that all services are built alike; nothing here is timed
      def initialize(clock: nil)
        @clock = clock
        @model_revision = 0
        @model_epoch = 1
        @listeners = []
      end

      # Observes a document in place of the one before, and the application for the documents to come.
      def attach(model)
        watch_application
        return if model.equal?(@model) && @model_observer

        detach
        observe(model)
      end

      # Stops observing; the counters stay.
      def close
        detach
        Sketchup.remove_observer(@application_observer) if @application_observer
        @application_observer = nil
      end

      # @param listener [#transaction_ended, #model_changed] called from inside the host's transaction:
      #   transaction_ended(:commit|:undo|:redo|:abort), model_changed(model)
      def subscribe(listener)
        @listeners |= [listener]
      end

      def unsubscribe(listener)
        @listeners -= [listener]
      end

      # A document was opened or created; on Windows it may be the same object with new contents.
      def document_replaced(model)
        detach
        observe(model)
        @model_epoch += 1
        @listeners.each { |listener| listener.model_changed(model) }
      end

      # A document came to the front.
      def document_activated(model)
        document_replaced(model) unless model.equal?(@model)
      end

      # Called by the observer after the host has ended a transaction.
      def transaction_ended(kind)
        @model_revision += 1 unless kind == :abort
        @listeners.each { |listener| listener.transaction_ended(kind) }
      end

      # What the host tells about one document.
      class TransactionObserver < Sketchup::ModelObserver
        def initialize(journal)
          super()
          @journal = journal
        end

        def onTransactionCommit(_model)
          @journal.transaction_ended(:commit)
        end

        def onTransactionUndo(_model)
          @journal.transaction_ended(:undo)
        end

        def onTransactionRedo(_model)
          @journal.transaction_ended(:redo)
        end

        def onTransactionAbort(_model)
          @journal.transaction_ended(:abort)
        end
      end

      # What the host tells about its documents.
      class DocumentObserver < Sketchup::AppObserver
        def initialize(journal)
          super()
          @journal = journal
        end

        def expectsStartupModelNotifications
          true
        end

        def onNewModel(model)
          @journal.document_replaced(model)
        end

        def onOpenModel(model)
          @journal.document_replaced(model)
        end

        def onActivateModel(model)
          @journal.document_activated(model)
        end
      end

      private

      def watch_application
        return if @application_observer

        @application_observer = DocumentObserver.new(self)
        Sketchup.add_observer(@application_observer)
      end

      def observe(model)
        @model = model
        return unless model

        @model_observer = TransactionObserver.new(self)
        model.add_observer(@model_observer)
      end

      # A document that was closed meanwhile has taken its observers along.
      def detach
        @model.remove_observer(@model_observer) if @model_observer && @model.valid?
        @model_observer = nil
        @model = nil
      end
    end
  end
end
