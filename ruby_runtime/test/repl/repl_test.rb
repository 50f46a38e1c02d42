# frozen_string_literal: true

require 'test_helper'

class ReplTest < BridgeTest
  def setup
    super
    quiet_console
    @stored = StoredValues.new('allow_eval' => true)
    @runtime = start_runtime(stored: @stored)
  end

  def test_hello_needs_nothing_and_names_the_session
    result = repl.request('hello')['result']
    assert_match(/\As\d{6}-\d{6}-\d+\z/, result['session'])
    assert_equal true, result['success']
    assert_equal %w[name version], result['server'].keys
  end

  def test_output_is_what_was_printed_and_then_the_value
    assert_equal "hello\n=> 3\n", evaluate(greeted_repl, "puts 'hello'\n1 + 2")
    assert_equal "x\n=> nil\n", evaluate(greeted_repl, "print 'x'")
    assert_equal "=> \"a\\n\"\n", evaluate(greeted_repl, '"a\n"')
  end

  def test_locals_persist_across_clients
    evaluate(greeted_repl, 'kept = 41')
    assert_equal "=> 42\n", evaluate(greeted_repl, 'kept + 1')
  end

  def test_locals_do_not_leak_into_eval_ruby
    evaluate(greeted_repl, 'leak = 1')
    assert_equal 'NameError', greeted(@runtime).failure('eval_ruby', 'code' => 'leak')['details']['class']
  end

  def test_an_exception_is_part_of_the_output
    output = evaluate(greeted_repl, "puts 'before'\nraise ArgumentError, 'no good'")
    assert_match(/\Abefore\n#<ArgumentError: no good>\n {2}.*0001\.rb:2:in/, output)
    assert_operator output.lines.length, :<=, 7
    assert_match(/SyntaxError/, evaluate(greeted_repl, '(1'))
    assert_match(/SystemExit/, evaluate(greeted_repl, 'exit'))
  end

  def test_each_snippet_is_kept_under_the_name_that_backtraces_show
    file = evaluate(greeted_repl, '__FILE__')[/"(.*)"/, 1]
    assert_match(%r{/repl/s\d{6}-\d{6}-\d+/\d{4}\.rb\z}, file)
    assert_equal '__FILE__', File.read(file)
  end

  def test_evaluating_needs_a_hello
    client = repl
    error = client.request('eval', { 'code' => '1' })['error']
    assert_equal [-32_600, 'HELLO_REQUIRED'], [error['code'], error['data']['error_code']]
  end

  def test_missing_code_is_told
    error = greeted_repl.request('eval', {})['error']
    assert_equal [-32_602, 'params.code'], [error['code'], error['data']['details']['path']]
  end

  def test_ping_and_unknown_methods
    client = greeted_repl
    assert_equal({ 'status' => 'ok' }, client.request('ping')['result'])
    assert_equal(-32_601, client.request('tools/call')['error']['code'])
  end

  def test_half_a_line_disturbs_nobody
    half = greeted_repl
    half.send_bytes('{"method":"eval","id":1,')
    assert_equal "=> 2\n", evaluate(greeted_repl, '1 + 1')
    half.send_bytes("\"params\":{\"code\":\"5\"}}\n")
    assert_equal "=> 5\n", half.receive['result']['output']
  end

  def test_the_switch_and_the_token_hold_here_too
    @stored.write('allow_eval', false)
    error = greeted_repl.request('eval', { 'code' => '1' })['error']
    assert_equal 'EVAL_DISABLED', error['data']['error_code']
    guarded = start_runtime('SUPEX_AUTH_TOKEN' => 's', stored: @stored)
    error = repl(guarded).request('hello', { 'token' => 'x' })['error']
    assert_equal 'AUTH_INVALID', error['data']['error_code']
  end

  def test_it_can_be_switched_off
    runtime = start_runtime('SUPEX_REPL_DISABLED' => '1')
    assert_nil runtime.repl_port
  end

  private

  def repl(runtime = @runtime)
    connect(runtime, port: runtime.repl_port)
  end

  def greeted_repl
    repl.tap { |client| client.request('hello') }
  end

  def evaluate(client, code)
    client.request('eval', { 'code' => code }).fetch('result').fetch('output')
  end
end
