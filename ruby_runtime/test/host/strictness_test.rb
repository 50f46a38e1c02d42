# frozen_string_literal: true

require 'test_helper'

class StrictnessTest < Minitest::Test
  def setup
    Headless.reset
  end

  def teardown
    Headless.reset
  end

  def test_an_unknown_call_is_a_gap_on_record
    error = assert_raises(NoMethodError) { Sketchup.active_model.entities.paint_it_black }
    assert_instance_of Headless::MockGap, error
    assert_match(/\AMockGap: Sketchup::Entities#paint_it_black$/, error.message)
    assert_equal ['Sketchup::Entities#paint_it_black'], Headless.host.gaps.to_a
  end

  def test_an_unknown_function_of_the_application_is_a_gap_too
    assert_raises(Headless::MockGap) { Sketchup.make_coffee }
    assert_raises(Headless::MockGap) { UI.make_coffee }
    assert_equal %w[Sketchup.make_coffee UI.make_coffee], Headless.host.gaps.to_a
  end

  def test_conversions_that_ruby_asks_for_are_no_gaps
    [[Sketchup.active_model]].flatten
    assert_empty Headless.host.gaps.to_a
    refute_respond_to Sketchup.active_model, :to_ary
  end

  # What extensions often call and SketchUp does not have.
  def test_what_sketchup_lacks_is_absent
    model = Sketchup.active_model
    definition = model.definitions.add('part')
    group = model.entities.add_group
    [[model.entities, :manifold?], [definition, :manifold?], [model, :undo],
     [group, :definition=, definition], [model.entities, :find_entity_by_id, 1]].each do |object, *call|
      assert_raises(NoMethodError, call.first) { object.public_send(*call) }
    end
    assert_raises(NoMethodError) { Geom::BoundingBox.new + Geom::BoundingBox.new }
  end

  def test_another_thread_may_not_touch_the_model
    error = Thread.new { Sketchup.active_model.entities.size }.tap { |one| one.report_on_exception = false }
    assert_raises(ThreadError) { error.value }
  end

  def test_an_ordered_failure_comes_once_and_when_it_was_ordered
    failures = Headless::Failures.new
    failures.order('import', 'raise', after: 1)
    assert_nil failures.due('import')
    assert_equal 'raise', failures.due('import')
    assert_nil failures.due('import')
    assert_nil failures.due('save')
  end

  def test_an_unknown_failure_or_setting_is_refused
    assert_raises(ArgumentError) { Headless.failures.order('lunch', 'raise') }
    assert_raises(ArgumentError) { Headless.configuration.update(dae_structure: 'flat', platform: 'amiga') }
    assert_equal 'flat', Headless.configuration.dae_structure
  end
end
