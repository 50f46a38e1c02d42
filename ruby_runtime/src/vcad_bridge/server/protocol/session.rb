# frozen_string_literal: true

require 'securerandom'

module Vcad
  module Bridge
    module Server
      # What a client said in hello, kept for the life of its connection.
      class Session
        attr_reader :connection_id, :session_id, :name, :version, :agent, :pid, :paths, :token_digest

        # @param paths [PathPolicy] for the workspace that was given
        # @param token_digest [String] keeps replay memories of different owners apart
        def initialize(connection_id:, identity:, paths:, token_digest: '')
          @connection_id = connection_id
          @session_id = SecureRandom.hex(8)
          @name, @version, @agent, @pid = identity.values_at('name', 'version', 'agent', 'pid')
          @paths = paths
          @token_digest = token_digest
        end

        # @return [Array] whose request_ids are distinguished
        def owner
          [token_digest, paths.workspace]
        end
      end
    end
  end
end
