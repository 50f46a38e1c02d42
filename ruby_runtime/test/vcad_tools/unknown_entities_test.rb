# frozen_string_literal: true

require 'test_helper'

# The host cannot even look for a number that its integers do not hold; to a caller it is an unknown id.
class UnknownEntitiesTest < BridgeTest
  HUGE = [2**31, -(2**40), 10**30].freeze

  def setup
    super
    @client = greeted(start_runtime)
  end

  def test_an_id_that_no_entity_can_have_is_not_found
    HUGE.each do |id|
      assert_equal 'ENTITY_NOT_FOUND', @client.failure('get_entity', 'entity_id' => id)['error_code']
      assert_equal 'ENTITY_NOT_FOUND',
                   @client.failure('resolve_vcad_import', 'entity_id' => id, 'extract' => 'all')['error_code']
    end
    assert_equal 'ENTITY_NOT_FOUND', @client.failure('get_entity', 'persistent_id' => 10**30)['error_code']
    assert_equal 'ENTITY_NOT_FOUND',
                 @client.failure('remove_vcad_instance', 'persistent_id' => 10**30)['error_code']
  end

  def test_watching_tells_which_ids_name_nothing
    result = @client.call('vcad.observer_watch', 'entity_ids' => HUGE, 'persistent_ids' => [10**30])
    assert_equal [*HUGE, 10**30], result['missing']
  end

  def test_a_picture_of_nothing_is_one_bad_shot
    shots = [{ 'camera' => { 'type' => 'zoom_entity', 'entity_ids' => [10**30] } }, { 'isolate' => 10**30 }]
    results = @client.call('take_batch_screenshots', 'shots' => shots, 'width' => 8, 'height' => 8)['results']
    assert_equal(%w[ENTITY_NOT_FOUND ENTITY_NOT_FOUND], results.map { |result| result['error_code'] })
  end
end
