# frozen_string_literal: true

require 'test_helper'
require 'vcad_bridge/model/model_journal'

class ModelJournalTest < Minitest::Test
  def setup
    @model = Headless.reset
    @journal = Vcad::Bridge::ModelJournal.new
    @journal.attach(@model)
  end

  def teardown
    @journal.close
  end

  def test_commits_undos_and_redos_are_counted
    assert_equal(1, counted { in_operation { @model.entities.add_line([0, 0, 0], [1, 0, 0]) } })
    assert_equal(1, counted { Sketchup.undo })
    assert_equal(1, counted { Sketchup.redo })
  end

  def test_aborted_and_empty_operations_are_not_counted
    assert_equal(0, counted { in_operation { nil } })
    assert_equal(0, counted do
      @model.start_operation('Edit', true)
      @model.entities.add_line([0, 0, 0], [1, 0, 0])
      @model.abort_operation
    end)
  end

  def test_another_document_is_another_epoch
    before = @journal.model_epoch
    model = Headless.reset

    assert_operator @journal.model_epoch, :>, before
    assert_equal model, @journal.model
    assert_equal(1, counted { model.entities.add_line([0, 0, 0], [1, 0, 0]) })
  end

  def test_a_document_that_comes_to_the_front_again_is_another_epoch_once
    before = @journal.model_epoch
    @journal.document_activated(@model)

    assert_equal before, @journal.model_epoch
  end

  def test_a_closed_journal_hears_nothing
    @journal.close

    assert_equal(0, counted { @model.entities.add_line([0, 0, 0], [1, 0, 0]) })
  end

  private

  def counted
    before = @journal.model_revision
    yield
    @journal.model_revision - before
  end

  def in_operation
    @model.start_operation('Edit', true)
    yield
    @model.commit_operation
  end
end
