# frozen_string_literal: true

require 'test_helper'

class HelloTest < BridgeTest
  def test_hello_tells_what_this_server_is_and_can
    result = connect(start_runtime).hello(workspace: workspace)
    assert_equal [true, 'Client identified', 1, 0],
                 result.values_at('success', 'message', 'protocol_version', 'protocol_minor')
    assert_equal workspace, result['workspace']
    assert_equal 1_048_576, result.dig('limits', 'max_request_bytes')
    assert_includes result.dig('limits', 'slow_tools'), 'update_vcad_node'
    expected = %w[vcad.nodes vcad.instances vcad.observer dedupe.request_id model_guard]
    assert_empty expected - result['capabilities']
    assert_equal RUBY_VERSION, result.dig('sketchup', 'ruby')
  end

  def test_evaluation_is_announced_only_while_the_owner_allows_it
    refute_includes connect(start_runtime).hello['capabilities'], 'eval_ruby'
    stored = StoredValues.new('allow_eval' => true)
    assert_includes connect(start_runtime(stored: stored)).hello['capabilities'], 'eval_ruby'
  end

  def test_an_older_client_without_the_new_params_is_welcome
    client = connect(start_runtime)
    identity = { 'name' => 'old', 'version' => '0.2.0', 'agent' => 'x', 'pid' => '12' }
    reply = client.request('hello', identity, id: 'hello')
    assert_equal 'hello', reply['id']
    assert_equal [true, nil], reply['result'].values_at('success', 'workspace')
  end

  def test_missing_params_are_named_and_the_connection_stays_open
    client = connect(start_runtime)
    error = client.request('hello', { 'name' => 'x', 'agent' => '', 'pid' => 'abc' })['error']
    assert_equal [-32_600, 'INVALID_HELLO'], [error['code'], error['data']['error_code']]
    assert_equal %w[version agent pid], error['data']['details']['missing']
    assert client.hello['success']
  end

  def test_the_protocol_version_may_be_a_number_or_text
    runtime = start_runtime
    [1, '1', '1.7'].each { |version| assert connect(runtime).hello(protocol_version: version)['success'] }
    params = RuntimeClient::IDENTITY.merge('protocol_version' => '2.0')
    error = connect(runtime).request('hello', params)['error']
    assert_equal [-32_007, 'PROTOCOL_MISMATCH'], [error['code'], error['data']['error_code']]
    assert_equal({ 'expected_protocol' => 1, 'actual_protocol' => '2.0', 'operation' => 'hello' },
                 error['data']['details'])
  end

  def test_a_wrong_or_missing_token_is_answered_and_closes
    runtime = start_runtime('SUPEX_AUTH_TOKEN' => 'open sesame')
    [[{}, 'AUTH_REQUIRED'], [{ 'token' => 'open' }, 'AUTH_INVALID'], [{ 'token' => 5 }, 'AUTH_INVALID']]
      .each do |params, code|
        client = connect(runtime)
        error = client.request('hello', RuntimeClient::IDENTITY.merge(params))['error']
        assert_equal [-32_001, code], [error['code'], error['data']['error_code']]
        assert_predicate client, :closed?
      end
  end

  def test_the_token_is_checked_before_anything_else
    error = connect(start_runtime('SUPEX_AUTH_TOKEN' => 's')).request('hello', {})['error']
    assert_equal 'AUTH_REQUIRED', error['data']['error_code']
  end

  def test_the_right_token_lets_in
    result = connect(start_runtime('SUPEX_AUTH_TOKEN' => 'ключ')).hello(token: 'ключ')
    assert_includes result['capabilities'], 'auth.required'
  end

  def test_a_workspace_that_is_unusable_confers_nothing_but_hello_succeeds
    runtime = start_runtime
    ['relative/folder', '/', File.join(workspace, 'missing'), 5, Dir.home].each do |given|
      result = connect(runtime).hello(workspace: given)
      assert_equal [true, nil], result.values_at('success', 'workspace'), given.inspect
    end
  end

  def test_the_last_hello_wins
    client = greeted(start_runtime)
    other = File.join(workspace, 'other')
    Dir.mkdir(other)
    assert_equal other, client.hello(workspace: other)['workspace']
    failure = client.failure('save_model', 'path' => "#{workspace}/a.skp")
    assert_equal 'PATH_NOT_ALLOWED', failure['error_code']
  end

  def test_a_policy_that_is_switched_off_is_announced
    result = connect(start_runtime('SUPEX_ALLOWED_ROOTS' => '*')).hello
    assert_equal 'off', result.dig('sketchup', 'path_policy')
  end
end
