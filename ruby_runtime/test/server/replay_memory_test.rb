# frozen_string_literal: true

require 'test_helper'
require 'vcad_bridge/server/protocol/replay_memory'

class ReplayMemoryTest < Minitest::Test
  Memory = Vcad::Bridge::Server::ReplayMemory

  def setup
    @now = 0.0
    @memory = Memory.new(clock: -> { @now })
  end

  def test_the_last_256_replies_are_kept_for_ten_minutes
    300.times { |number| remember(number.to_s, 'ok' => true) }
    assert_nil recall('43')
    assert recall('44')
    @now = 599.0
    assert recall('299')
    @now = 601.0
    assert_nil recall('299')
  end

  # 256 replies of ten megabytes would be too much for a program that people draw with.
  def test_long_replies_are_forgotten_earlier
    10.times { |number| remember(number.to_s, 'result' => 'x' * 9_000_000) }
    kept = (0...10).select { |number| recall(number.to_s) }
    assert_equal 9, kept.last
    assert_operator kept.length, :<=, 7
    remember('small', 'ok' => true)
    assert recall('small') && recall('9')
  end

  private

  def remember(id, value)
    @memory.remember('owner', id, 'tool', 'result', value)
  end

  def recall(id)
    @memory.recall('owner', id)
  end
end
