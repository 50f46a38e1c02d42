# frozen_string_literal: true

module Vcad
  module Bridge
    module Server
      # Sizes in bytes, times in seconds. Tests hand in smaller ones.
      Limits = Struct.new(
        :request_bytes, :response_bytes, :read_per_tick, :requests_per_tick, :work_per_tick,
        :connections, :queued_requests, :pending_output, :stalled_reader, :hello_within, :idle,
        keyword_init: true
      )

      DEFAULT_LIMITS = Limits.new(
        request_bytes: 1_048_576,
        response_bytes: 10_485_760,
        read_per_tick: 262_144,
        requests_per_tick: 8,
        work_per_tick: 0.05,
        connections: 16,
        queued_requests: 64,
        pending_output: 16_777_216,
        stalled_reader: 30.0,
        hello_within: 10.0,
        idle: 900.0
      ).freeze
    end
  end
end
