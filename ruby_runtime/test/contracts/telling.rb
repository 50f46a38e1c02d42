# frozen_string_literal: true

require_relative 'line'
require_relative 'pattern'

module Contracts
  # One story, played against a running server.
  class Telling
    HELLO = { 'name' => 'contract', 'version' => '1.0', 'agent' => 'tests', 'pid' => 4711,
              'workspace' => '{workspace}' }.freeze

    # @param places [Hash{String=>String}] what {workspace} and {outside} stand for
    # @param turn [#call] lets the server work once
    def initialize(story, port:, places:, turn:)
      @story = story
      @port = port
      @places = places
      @turn = turn
      @kept = {}
      @lines = {}
      @ids = 1000
    end

    def play
      connect('a')
      step({ 'hello' => @story.server.slice('token') }) if @story.says_hello
      @story.steps.each { |one| step(one) }
    ensure
      @lines.each_value(&:close)
    end

    private

    def connect(name)
      @lines[name] = Line.new(@port, @turn)
    end

    def step(one)
      kind = (one.keys - %w[on times]).first
      send("step_#{kind}", @lines.fetch(one.fetch('on', 'a')), one)
    end

    def step_send(line, one)
      say(line, filled(one['send']))
    end

    def step_raw(line, one)
      pieces = [one['raw']].flatten(1)
      line.write(pieces.map { |piece| piece.is_a?(Hash) ? piece['repeat'] * piece['times'] : piece }.join)
      @turn.call
    end

    def step_raw_hex(line, one)
      line.write([one['raw_hex']].pack('H*'))
      @turn.call
    end

    def step_expect(line, one)
      one.fetch('times', 1).times { check(line.read, one['expect']) }
    end

    def step_silent(line, _one)
      say(line, { 'method' => 'ping', 'id' => 'still silent' })
      check(line.read, { 'id' => 'still silent', 'result' => '$object' })
    end

    def step_closed(line, _one)
      raise Minitest::Assertion, "said #{line.rest.inspect} before it hung up" unless line.rest.empty?
    end

    def step_hello(line, one)
      hello(line, one['hello'], { 'result' => { 'success' => true } })
    end

    def step_hello_params(line, one)
      hello(line, one['hello_params'], one)
    end

    def step_call(line, one)
      params = { 'name' => one['call'], 'arguments' => filled(one.fetch('arguments', {})) }
      params['request_id'] = "#{@story.name}: #{one['request_id']}" if one.key?('request_id')
      @ids += 1
      ask(line, { 'jsonrpc' => '2.0', 'method' => 'tools/call', 'params' => params, 'id' => @ids }, one)
    end

    def step_connect(_line, one)
      connect(one['connect'])
    end

    def step_crowd(_line, one)
      one['crowd'].times { |k| connect(k + 1 == one['crowd'] ? 'crowd' : "crowd #{k}") }
    end

    def hello(line, changed, answer)
      params = filled(HELLO.merge(changed).compact)
      ask(line, { 'method' => 'hello', 'params' => params, 'id' => 'hello' }, answer)
    end

    def ask(line, request, answer)
      say(line, request)
      check(line.read, { 'id' => request['id'] }.merge(answer.slice('result', 'error')))
    end

    def say(line, value)
      line.write("#{JSON.generate(value)}\n")
    end

    def check(found, pattern)
      wrong = Pattern.new(@kept).mismatch(found, filled(pattern))
      raise Minitest::Assertion, "#{wrong}\nin #{JSON.generate(found)[0, 2000]}" if wrong
    end

    def filled(value)
      case value
      when Hash then value.transform_values { |one| filled(one) }
      when Array then value.map { |one| filled(one) }
      when String then said(value)
      else value
      end
    end

    def said(text)
      return @kept.fetch(text.delete_prefix('$kept:')) if text.start_with?('$kept:')

      @places.inject(text) { |changed, (name, place)| changed.gsub("{#{name}}") { place } }
    end
  end
end
