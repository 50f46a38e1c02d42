# frozen_string_literal: true

require 'test_helper'

class TimersTest < Minitest::Test
  def setup
    @clock = Headless::Clock.new
    @clock.virtual = true
    @errors = StringIO.new
    @timers = Headless::Timers.new(@clock, errors: @errors)
    @fired = []
  end

  def test_two_repeating_timers_both_fire
    @timers.start(0.25, repeat: true) { @fired << :bridge }
    @timers.start(0.5, repeat: true) { @fired << :repl }
    @timers.advance(1.0)
    assert_equal({ bridge: 4, repl: 2 }, @fired.tally)
  end

  def test_a_timer_that_raises_says_so_and_stays
    @timers.start(1, repeat: true) do
      @fired << :raised
      raise 'on purpose'
    end
    @timers.start(1, repeat: true) { @fired << :other }
    @timers.advance(2)
    assert_equal({ raised: 2, other: 2 }, @fired.tally)
    assert_includes @errors.string, 'on purpose'
  end

  def test_a_timer_without_repeat_fires_once
    @timers.start(1) { @fired << :once }
    @timers.advance(5)
    assert_equal [:once], @fired
    assert_equal 0, @timers.size
  end

  def test_a_stopped_timer_does_not_fire_even_when_it_was_due_in_the_same_turn
    second = nil
    @timers.start(1) { @timers.stop(second) }
    second = @timers.start(1) { @fired << :stopped }
    @timers.advance(2)
    assert_empty @fired
  end

  def test_timers_fire_in_the_order_in_which_they_fall_due
    @timers.start(2) { @fired << :late }
    @timers.start(1) { @fired << :early }
    ids = @timers.advance(3)
    assert_equal %i[early late], @fired
    assert_equal [2, 1], ids
  end

  def test_a_timer_does_not_run_inside_itself
    depth = 0
    @timers.start(1, repeat: true) do
      depth += 1
      @timers.advance(5) if depth == 1
    end
    @timers.advance(1)
    assert_equal 1, depth
  end

  def test_a_timer_started_by_a_timer_fires_at_its_own_moment
    start = @clock.monotonic
    @timers.start(1) { @timers.start(1) { @fired << (@clock.monotonic - start) } }
    @timers.advance(3)
    assert_equal 1, @fired.size
    assert_in_delta 2.0, @fired.first, 1e-6
  end

  def test_a_timer_of_zero_seconds_ends
    @timers.start(0, repeat: true) { @fired << 0 }
    @timers.advance(0.01)
    assert_operator @fired.size, :<=, 12
  end

  def test_the_clock_does_not_jump_when_it_becomes_virtual
    clock = Headless::Clock.new
    before = clock.monotonic
    clock.virtual = true
    held = clock.monotonic
    clock.advance(10)
    assert_in_delta before, held, 1
    assert_in_delta held + 10, clock.monotonic, 1e-9
    clock.virtual = false
    assert_in_delta held + 10, clock.monotonic, 1
  end

  def test_without_a_block_there_is_no_timer
    assert_raises(ArgumentError) { UI.start_timer(1, true) }
  end
end
