# frozen_string_literal: true

require 'socket'
require_relative '../calls/failure'

module Vcad
  module Bridge
    module Server
      # Where to listen, and whether that is allowed. Only loopback, unless the owner asked for more and set a
      # token.
      class Address
        LOOPBACK = %w[127.0.0.1 localhost ::1].freeze

        attr_reader :host, :port

        # Raises ArgumentError for an address that must not be opened.
        def initialize(host:, port:, allow_remote: false, token: nil)
          @host = host
          @port = port
          return if LOOPBACK.include?(host)

          unless allow_remote
            raise ArgumentError,
                  "#{host} is not a loopback address; set SUPEX_ALLOW_REMOTE=1"
          end
          raise ArgumentError, "#{host} can be reached by others; set SUPEX_AUTH_TOKEN" if token.to_s.empty?
        end

        # IPv4 loopback always: older clients know nothing else.
        def hosts
          case host
          when 'localhost', '127.0.0.1' then ['127.0.0.1']
          # These take the loopback in.
          when '0.0.0.0', '::' then [host]
          else ['127.0.0.1', host]
          end
        end
      end

      # The listening sockets of one server.
      class Listeners
        def initialize(address)
          @address = address
          @servers = []
        end

        # Raises SystemCallError when the port is taken, ArgumentError when the host has no address.
        def open
          @address.hosts.each { |host| @servers << TCPServer.new(host, port) }
        rescue SystemCallError
          close
          raise
        rescue SocketError => e
          close
          raise ArgumentError, e.message
        end

        def port
          @servers.empty? ? @address.port : @servers.first.local_address.ip_port
        end

        def open?
          !@servers.empty?
        end

        def sockets
          @servers.dup
        end

        def accept_all
          @servers.each do |server|
            while (socket = accept(server))
              yield socket if undelayed(socket)
            end
          end
        end

        def close
          @servers.each(&:close)
          @servers.clear
        end

        private

        # A client that left before it was accepted is no error; without a free descriptor it waits.
        def accept(server)
          socket = server.accept_nonblock(exception: false)
          socket == :wait_readable ? nil : socket
        rescue Errno::ECONNABORTED, Errno::EPROTO, Errno::EMFILE, Errno::ENFILE, Errno::ENOBUFS
          nil
        end

        # macOS refuses options on a connection that was reset meanwhile.
        # @return [Boolean] false for such a socket, which is closed
        def undelayed(socket)
          socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
          true
        rescue SystemCallError
          discard(socket)
        end

        def discard(socket)
          socket.close
          false
        rescue SystemCallError, IOError
          false
        end
      end
    end
  end
end
