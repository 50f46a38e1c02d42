# frozen_string_literal: true

require 'test_helper'
require 'vcad_bridge/server/connection'
require 'vcad_bridge/server/listeners'

# What a client's socket may do to the host.
class ConnectionTest < Minitest::Test
  Server = Vcad::Bridge::Server

  # Always has more to read.
  class Flood
    attr_reader :taken

    def initialize
      @taken = 0
    end

    def read_nonblock(size, **)
      @taken += size
      raise 'read for ever' if @taken > 100_000_000

      'x' * size
    end

    def close_write; end
  end

  # Was reset before the server looked at it: some systems refuse options then.
  class Gone
    attr_reader :closed

    def setsockopt(*)
      raise Errno::EINVAL
    end

    def close
      @closed = true
      raise Errno::ECONNRESET
    end
  end

  def test_a_client_that_floods_after_the_farewell_costs_no_more_than_before
    flood = Flood.new
    limits = Server::DEFAULT_LIMITS
    connection = Server::Connection.new(1, flood, limits, 0.0)
    connection.close_after_flush
    connection.flush(0.0)
    connection.read(0.0) { flunk 'nothing more is taken from it' }
    assert_operator flood.taken, :<=, limits.read_per_tick
  end

  def test_a_client_that_was_reset_before_it_was_accepted_is_nobodys_error
    gone = Gone.new
    waiting = [gone, :fine]
    listeners = Server::Listeners.new(Server::Address.new(host: '127.0.0.1', port: 0))
    listeners.open
    fine = Object.new.tap { |socket| socket.define_singleton_method(:setsockopt) { |*| nil } }
    waiting[1] = fine
    listeners.sockets.first.define_singleton_method(:accept_nonblock) { |**| waiting.shift || :wait_readable }
    accepted = []
    listeners.accept_all { |socket| accepted << socket }
    assert_equal [fine], accepted
    assert gone.closed
  ensure
    listeners.close
  end

  def test_no_free_descriptor_leaves_the_newcomer_waiting
    listeners = Server::Listeners.new(Server::Address.new(host: '127.0.0.1', port: 0))
    listeners.open
    listeners.sockets.first.define_singleton_method(:accept_nonblock) { |**| raise Errno::EMFILE }
    listeners.accept_all { flunk 'nobody can be accepted' }
  ensure
    listeners.close
  end

  def test_a_socket_that_cannot_be_closed_is_closed_all_the_same
    connection = Server::Connection.new(1, Gone.new, Server::DEFAULT_LIMITS, 0.0)
    connection.close
    assert_predicate connection, :closed?
  end

  def test_older_clients_reach_any_server_at_the_ipv4_loopback
    remote = { port: 0, allow_remote: true, token: 'secret' }
    assert_equal ['127.0.0.1', '192.0.2.7'], Server::Address.new(host: '192.0.2.7', **remote).hosts
    assert_equal ['0.0.0.0'], Server::Address.new(host: '0.0.0.0', **remote).hosts
    assert_equal ['127.0.0.1', '::1'], Server::Address.new(host: '::1', port: 0).hosts
  end
end
