# frozen_string_literal: true

require 'test_helper'

class SettingsTest < BridgeTest
  Settings = Vcad::Bridge::Settings

  def test_without_anything_the_documented_defaults_hold
    settings = Settings.new({}, stored: StoredValues.new)
    assert_equal ['127.0.0.1', 9876, 4433, nil, 0.25, 2048],
                 [settings.bind_address, settings.port, settings.repl_port, settings.token,
                  settings.check_interval, settings.observer_max_queue]
    assert_predicate settings, :repl?
    assert_predicate settings, :autostart?
    refute_predicate settings, :allow_eval?
  end

  def test_evaluation_is_what_the_menu_says_and_the_environment_only_when_it_was_never_asked
    on = { 'VCAD_BRIDGE_ALLOW_EVAL' => '1' }
    assert_predicate Settings.new(on, stored: StoredValues.new), :allow_eval?
    refute_predicate Settings.new(on, stored: StoredValues.new('allow_eval' => false)), :allow_eval?
    assert_predicate Settings.new({}, stored: StoredValues.new('allow_eval' => true)), :allow_eval?
    refute_predicate Settings.new({}, stored: StoredValues.new('allow_eval' => 'true')), :allow_eval?
  end

  def test_the_switch_is_kept_in_the_hosts_preferences
    settings = Settings.new({})
    settings.store('allow_eval', true)
    assert_predicate Settings.new({}), :allow_eval?
  end

  def test_roots_are_separated_as_paths_are_on_this_system
    list = ['/a', '/b c'].join(File::PATH_SEPARATOR)
    environment = { 'SUPEX_ALLOWED_ROOTS' => list, 'SUPEX_PROJECT_ROOT' => '/p' }
    settings = Settings.new(environment, stored: StoredValues.new)
    assert_equal ['/a', '/b c', '/p'], settings.allowed_roots
  end

  def test_values_that_make_no_sense_are_reported_and_ignored
    environment = { 'SUPEX_PORT' => '99999', 'SUPEX_CHECK_INTERVAL' => 'soon' }
    settings = Settings.new(environment, stored: StoredValues.new)
    assert_equal [9876, 0.25], [settings.port, settings.check_interval]
    assert_equal 2, settings.complaints.length
  end

  def test_the_queue_length_has_an_alias
    settings = Settings.new({ 'SUPEX_VCAD_OBSERVER_MAX_QUEUE' => '7' }, stored: StoredValues.new)
    assert_equal 7, settings.observer_max_queue
  end
end
