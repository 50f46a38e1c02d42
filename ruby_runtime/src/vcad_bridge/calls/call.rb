# frozen_string_literal: true

require_relative 'failure'

module Vcad
  module Bridge
    # One tools/call under way: who asked, for which workspace, and what the tool may use.
    class Call
      # @return [String] the tool's name, or the finer label that the tool set; goes into error details
      attr_accessor :operation
      attr_reader :tool, :request_id, :services

      # @param session [Server::Session] what hello said on this connection
      def initialize(tool:, session:, services:, request_id: nil)
        @tool = tool
        @operation = tool
        @session = session
        @services = services
        @request_id = request_id
      end

      # @return [Sketchup::Model] raises Failure MODEL_UNAVAILABLE while the host shows no model
      def model
        Sketchup.active_model ||
          raise(Failure.new('MODEL_UNAVAILABLE', 'No active model',
                            hint: 'Open or create a model in SketchUp.'))
      end

      # @return [PathPolicy]
      def paths
        @session.paths
      end

      # @return [String, nil] canonical workspace folder
      def workspace
        paths.workspace
      end

      # @return [String] the name the client gave in hello
      def agent
        @session.agent
      end

      # @return [Integer] unique per connection while the server runs
      def connection_id
        @session.connection_id
      end
    end
  end
end
