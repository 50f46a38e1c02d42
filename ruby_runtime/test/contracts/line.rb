# frozen_string_literal: true

require 'json'
require 'socket'

module Contracts
  # One connection to a server that lives in the same thread: whoever waits lets the server work meanwhile.
  class Line
    PATIENCE = 20.0

    # @param turn [#call] lets the server work once
    def initialize(port, turn)
      @socket = TCPSocket.new('127.0.0.1', port)
      @socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
      @turn = turn
      @read = String.new(encoding: Encoding::BINARY)
      @over = false
      turn.call
    end

    def write(bytes)
      rest = bytes.b
      patiently('write') do
        sent = @socket.write_nonblock(rest, exception: false)
        rest = rest.byteslice(sent..) if sent.is_a?(Integer)
        rest.empty?
      end
    rescue Errno::EPIPE, Errno::ECONNRESET
      nil # hung up on us while we spoke; what it said last can still be read
    end

    # @return [Object] the next line, parsed
    def read
      patiently('read a line') { @read.include?("\n") || receive == :over }
      line = @read.slice!(/\A[^\n]*\n/)
      raise Minitest::Assertion, "hung up after #{@read.inspect}" unless line

      JSON.parse(line.force_encoding(Encoding::UTF_8))
    end

    # @return [String] what still comes before the other side hangs up
    def rest
      patiently('see it hang up') { receive == :over }
      @read
    end

    def close
      @socket.close
      @turn.call
    end

    private

    def receive
      return :over if @over

      bytes = @socket.read_nonblock(1 << 20, exception: false)
      @over = bytes.nil?
      @read << bytes if bytes.is_a?(String)
      @over ? :over : bytes
    rescue Errno::ECONNRESET
      @over = true
      :over
    end

    def patiently(what)
      limit = now + PATIENCE
      until yield
        raise Minitest::Assertion, "could not #{what}" if now > limit

        @turn.call
      end
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
