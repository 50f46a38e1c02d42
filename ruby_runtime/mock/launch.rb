# frozen_string_literal: true

# Runs the extension of ../src in the headless SketchUp:
#
#   ruby launch.rb [--port N] [--repl-port N] [--workspace DIR] [--token T] [--seed FILE]
#
# Port 0 takes a free one. Prints `READY bridge=<port> repl=<port> pid=<pid>` when it listens. Ends on
# SIGTERM, on SIGINT, and when standard input ends, so that nobody's death leaves it behind.
require 'optparse'
require_relative 'headless'
require 'test_control'

module Vcad
  # What the runtime finds of ours when it starts.
  module Bridge
    # The runtime asks here for tools beside its own when it builds its table.
    def self.extra_tools
      @extra_tools ||= []
    end
  end
end

module Headless
  # The extension did not start; the message is its reason.
  class NotListening < StandardError
  end

  # The process around the extension: options in, READY line out, one event loop until the end.
  class Launcher
    SOURCES = File.expand_path('../src', __dir__).freeze
    # How the extension is told what its owner would have set before starting SketchUp.
    VARIABLES = { port: 'SUPEX_PORT', repl_port: 'SUPEX_REPL_PORT', token: 'SUPEX_AUTH_TOKEN',
                  workspace: 'SUPEX_PROJECT_ROOT', allow_eval: 'VCAD_BRIDGE_ALLOW_EVAL' }.freeze

    def initialize(arguments, output: $stdout, input: $stdin)
      @output = output
      @input = input
      @options = read(arguments)
    end

    def run
      output_in_utf8
      Headless.host.documents.open(@options[:seed]) if @options[:seed]
      start_extension
      loop = event_loop
      announce
      loop.run
    ensure
      stop_extension
    end

    private

    def read(arguments)
      options = {}
      OptionParser.new do |parser|
        parser.banner = 'usage: ruby launch.rb [options]'
        parser.on('--port N', Integer, 'of the bridge; 0 takes a free one') { |port| options[:port] = port }
        parser.on('--repl-port N', Integer, 'of the REPL') { |port| options[:repl_port] = port }
        parser.on('--workspace DIR', 'that files may lie in') { |dir| options[:workspace] = folder(dir) }
        parser.on('--token T', 'that clients must give') { |token| options[:token] = token }
        parser.on('--allow-eval', 'let clients run Ruby') { options[:allow_eval] = 1 }
        parser.on('--seed FILE', 'model to begin with') { |file| options[:seed] = File.expand_path(file) }
      end.parse!(arguments)
      options
    end

    def folder(path)
      raise OptionParser::InvalidArgument, "#{path} is no folder" unless File.directory?(path)

      File.realpath(path)
    end

    def start_extension
      VARIABLES.each { |option, variable| ENV[variable] = @options[option].to_s if @options[option] }
      $LOAD_PATH.unshift(SOURCES)
      Vcad::Bridge.extra_tools << ->(registry, services) { TestControl.add_to(registry, services) }
      require 'vcad_bridge'
      raise NotListening, runtime.failure || 'the bridge did not start' unless runtime.running?

      Headless.host.settle
    end

    def event_loop
      loop = EventLoop.new(Headless.host.timers, sockets: -> { runtime.sockets },
                                                 on_ready: -> { runtime.tick }, input: @input)
      %w[TERM INT].each { |signal| trap(signal) { loop.stop } }
      loop
    end

    def announce
      @output.puts("READY bridge=#{runtime.bridge_port} repl=#{runtime.repl_port || 0} pid=#{Process.pid}")
      @output.flush
    end

    def stop_extension
      Headless.host.documents.quit
      runtime&.stop
    end

    # Another one after the extension was reloaded.
    def runtime
      Vcad::Bridge.respond_to?(:runtime) ? Vcad::Bridge.runtime : nil
    end

    # Whatever the locale: what is printed here is read by programs.
    def output_in_utf8
      [$stdout, $stderr].each { |stream| stream.set_encoding(Encoding::UTF_8) }
      @output.sync = true
    end
  end
end

begin
  Headless::Launcher.new(ARGV).run
rescue OptionParser::ParseError => e
  warn("launch.rb: #{e.message}")
  exit 2
rescue Headless::NotListening, Headless::Dump::Unreadable => e
  $stdout.puts("FAILED #{e.message}")
  exit 1
end
