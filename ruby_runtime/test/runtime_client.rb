# frozen_string_literal: true

require 'json'
require 'socket'

# A client in the process of the runtime: it turns the runtime's crank while it waits for an answer.
class RuntimeClient
  class NoAnswer < StandardError; end

  IDENTITY = { 'name' => 'test', 'version' => '1.0', 'agent' => 'minitest', 'pid' => 1 }.freeze
  TURNS = 2000

  attr_reader :socket

  def initialize(runtime, port)
    @runtime = runtime
    @socket = TCPSocket.new('127.0.0.1', port)
    @socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
    @buffer = String.new(encoding: Encoding::BINARY)
    @last_id = 0
  end

  # @return [Hash] the result; fails on an error reply
  def hello(**params)
    reply = request('hello', IDENTITY.merge(params.transform_keys(&:to_s)))
    reply.fetch('result') { raise NoAnswer, reply.inspect }
  end

  # Arguments with string keys may stand without braces; `request_id:` goes beside them.
  # @return [Object] the tool's result; fails on an error reply
  def call(name, arguments = {}, **more)
    reply = tool(name, arguments, **more)
    reply.fetch('result') { raise NoAnswer, reply.inspect }
  end

  # @return [Hash] the `data` of the error reply, with `code` and `message`
  def failure(name, arguments = {}, **more)
    reply = tool(name, arguments, **more)
    error = reply.fetch('error') { raise NoAnswer, "no failure: #{reply.inspect}" }
    error['data'].merge(error.slice('code', 'message'))
  end

  # @return [Hash] the whole reply
  def tool(name, arguments = {}, **more)
    given, params = more.partition { |key, _| key.is_a?(String) }.map(&:to_h)
    request('tools/call', { 'name' => name, 'arguments' => arguments.merge(given) }
                            .merge(params.transform_keys(&:to_s)))
  end

  # @return [Hash] the whole reply
  def request(method, params = {}, id: @last_id += 1)
    send_line('jsonrpc' => '2.0', 'method' => method, 'params' => params, 'id' => id)
    receive
  end

  # @param message [Hash, String] a string is sent as it is, with a LF
  def send_line(message)
    send_bytes("#{message.is_a?(String) ? message : JSON.generate(message)}\n")
  end

  # Everything goes out, whatever the runtime takes at a time.
  def send_bytes(bytes)
    bytes = bytes.b
    until bytes.empty?
      sent = @socket.write_nonblock(bytes, exception: false)
      sent == :wait_writable ? @runtime.tick : bytes = bytes.byteslice(sent..)
    end
  end

  # @return [Hash] the next reply
  def receive
    JSON.parse(receive_line)
  end

  # @return [String] the next reply as it came
  def receive_line
    next_line || raise(NoAnswer, 'the connection was closed')
  end

  # @return [Array<Hash>]
  def receive_all(count)
    Array.new(count) { receive }
  end

  # @return [Boolean] whether the runtime closed the connection, after a few turns
  def closed?
    TURNS.times do
      return true if fill == :closed
      return false if @buffer.include?("\n")

      @runtime.tick
    end
    false
  end

  # @return [Boolean] nothing came within some turns
  def silent?(turns = 20)
    turns.times do
      @runtime.tick
      return false unless fill == :nothing && @buffer.empty?
    end
    true
  end

  def close
    @socket.close
  end

  private

  def next_line
    TURNS.times do
      line = take_line
      return line if line

      @runtime.tick
      case fill
      when :closed then return take_line
      when :nothing then IO.select([@socket], nil, nil, 0.001)
      end
    end
    raise NoAnswer, "no answer after #{TURNS} turns"
  end

  def take_line
    stop = @buffer.index("\n")
    stop && @buffer.slice!(0..stop).force_encoding(Encoding::UTF_8)
  end

  def fill
    bytes = @socket.read_nonblock(1_048_576, exception: false)
    return :nothing if bytes == :wait_readable
    return :closed if bytes.nil?

    @buffer << bytes
    :something
  rescue Errno::ECONNRESET
    :closed
  end
end
