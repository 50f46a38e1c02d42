# frozen_string_literal: true

require 'test_helper'

# Transport rules T3 to T10, before and after hello.
class FramingTest < BridgeTest
  def test_a_request_split_into_single_bytes_is_one_request
    client = greeted(runtime = start_runtime)
    "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":\"a\"}\r\n".each_char do |byte|
      client.send_bytes(byte)
      runtime.tick
    end
    reply = client.receive
    assert_equal %w[a ok], [reply['id'], reply.dig('result', 'status')]
    assert_predicate client, :silent?
  end

  def test_pipelined_requests_are_answered_in_their_order
    client = greeted(start_runtime)
    client.send_bytes((1..50).map { |id| "{\"method\":\"ping\",\"id\":#{id}}\n" }.join)
    assert_equal (1..50).to_a, (client.receive_all(50).map { |reply| reply['id'] })
  end

  def test_blank_lines_get_no_answer
    client = greeted(start_runtime)
    client.send_bytes("\n  \r\n\t\n")
    assert_predicate client, :silent?
  end

  def test_every_id_is_returned_unchanged
    client = greeted(start_runtime)
    ['hello', 7, 1.5, nil, '', 12_345_678_901_234_567_890].each do |id|
      reply = client.request('ping', {}, id: id)
      assert_equal [id], [reply['id']]
      assert reply.key?('id')
    end
  end

  def test_a_request_without_id_is_answered_with_null
    client = greeted(start_runtime)
    client.send_line('method' => 'ping')
    reply = client.receive
    assert_nil reply.fetch('id')
    assert_equal 'ok', reply.dig('result', 'status')
  end

  def test_notifications_are_never_answered
    client = greeted(start_runtime)
    client.send_line('jsonrpc' => '2.0', 'method' => 'notifications/initialized')
    client.send_line('method' => 'notifications/cancelled', 'params' => { 'requestId' => 9 })
    assert_predicate client, :silent?
  end

  def test_a_batch_is_refused_once
    client = greeted(start_runtime)
    client.send_line('[{"method":"ping","id":1},{"method":"ping","id":2}]')
    reply = client.receive
    assert_equal [-32_600, 'BATCH_UNSUPPORTED', nil], code_of(reply) << reply.fetch('id')
    assert_predicate client, :silent?
  end

  def test_after_hello_a_malformed_line_is_answered_and_the_connection_stays
    client = greeted(start_runtime)
    client.send_line('nonsense')
    assert_equal [-32_700, 'PARSE_ERROR'], code_of(client.receive)
    client.send_line('"text"')
    assert_equal [-32_600, 'INVALID_REQUEST'], code_of(client.receive)
    assert_equal 'ok', client.request('ping').dig('result', 'status')
  end

  def test_the_envelope_is_checked
    client = greeted(start_runtime)
    [{ 'jsonrpc' => '1.0', 'method' => 'ping' }, { 'jsonrpc' => '2.0' }, { 'method' => 5 },
     { 'id' => { 'a' => 1 }, 'method' => 'ping' }].each do |message|
      client.send_line(message)
      assert_equal [-32_600, 'INVALID_REQUEST'], code_of(client.receive), message.inspect
    end
  end

  def test_the_first_words_of_a_stranger_end_the_conversation
    runtime = start_runtime
    { "POST / HTTP/1.1\r\nHost: x" => 'PARSE_ERROR', '[]' => 'BATCH_UNSUPPORTED', '17' => 'INVALID_REQUEST' }
      .each do |line, code|
        client = connect(runtime)
        client.send_bytes("#{line}\n{\"method\":\"hello\",\"params\":{},\"id\":1}\n")
        reply = client.receive
        assert_equal [code, nil], [code_of(reply).last, reply['id']]
        assert_predicate client, :closed?
      end
  end

  def test_nothing_but_hello_is_answered_before_hello
    runtime = start_runtime
    [{ 'method' => 'ping' }, { 'command' => 'ping', 'id' => 1 }, { 'method' => 'tools/call', 'id' => 1 }]
      .each do |message|
        client = connect(runtime)
        client.send_line(message)
        reply = client.receive
        assert_equal [-32_600, 'HELLO_REQUIRED'], code_of(reply)
        assert reply.dig('error', 'data', 'hint')
        assert_predicate client, :closed?
      end
  end

  def test_a_line_of_exactly_the_limit_is_read
    client = greeted(start_runtime)
    head = '{"method":"ping","id":1,"params":{"x":"'
    client.send_line("#{head}#{'x' * (1_048_576 - head.bytesize - 3)}\"}}")
    assert_equal 'ok', client.receive.dig('result', 'status')
  end

  def test_a_line_above_the_limit_is_answered_and_the_connection_closed
    client = greeted(start_runtime)
    client.send_line('method' => 'ping', 'id' => 1)
    client.send_bytes('x' * 1_200_000)
    assert_equal 1, client.receive['id']
    reply = client.receive
    assert_equal [-32_005, 'PAYLOAD_TOO_LARGE', nil], code_of(reply) << reply['id']
    assert_equal 1_048_576, reply.dig('error', 'data', 'details', 'limit')
    assert_predicate client, :closed?
  end

  def test_a_reply_above_the_limit_is_replaced_by_an_error
    big = ->(registry, _) { registry.add('big', effect: :read) { |_, _| { 'text' => 'x' * 10_485_760 } } }
    client = greeted(start_runtime(extra_tools: [big]))
    failure = client.failure('big')
    assert_equal 'PAYLOAD_TOO_LARGE', failure['error_code']
    assert_equal [10_485_760, 'big'], failure['details'].values_at('limit', 'operation')
    assert_operator failure['details']['size'], :>, 10_485_760
  end

  def test_a_reply_of_many_megabytes_arrives_whole
    big = ->(registry, _) { registry.add('big', effect: :read) { |_, _| { 'text' => 'x' * 9_000_000 } } }
    client = greeted(start_runtime(extra_tools: [big]))
    assert_equal 9_000_000, client.call('big')['text'].length
  end

  private

  def code_of(reply)
    [reply.dig('error', 'code'), reply.dig('error', 'data', 'error_code')]
  end
end
