# frozen_string_literal: true

%w[src mock test].each do |folder|
  path = File.expand_path("../#{folder}", __dir__)
  $LOAD_PATH.unshift(path) unless $LOAD_PATH.include?(path)
end

require 'minitest/autorun'
require 'minitest/mock'
require 'json'
require 'socket'
require 'stringio'
require 'tmpdir'
require 'fileutils'
require 'headless'
require 'vcad_bridge/assembly'
require 'runtime_client'

# A test that starts with SketchUp as it is after its start.
class BridgeTest < Minitest::Test
  # A clock that stands until it is told to go on.
  class ManualClock
    attr_accessor :now

    def initialize(now = 1000.0)
      @now = now
    end

    def call
      @now
    end

    def advance(seconds)
      @now += seconds
    end
  end

  # The values that the extension's menu would have stored.
  class StoredValues
    def initialize(values = {})
      @values = values
    end

    def read(key)
      @values[key]
    end

    def write(key, value)
      @values[key] = value
    end
  end

  def setup
    Headless.reset
    @runtimes = []
    @clients = []
  end

  def teardown
    @clients.each(&:close)
    @runtimes.each(&:dispose)
    $stdout, $stderr = @streams if @streams
    FileUtils.rm_rf(@workspace) if @workspace
  end

  # Keeps what evaluated code prints out of the test's own output, until the end of the test.
  def quiet_console
    @streams = [$stdout, $stderr]
    $stdout = StringIO.new
    $stderr = StringIO.new
  end

  # @return [String] a real path, removed after the test
  def workspace
    @workspace ||= File.realpath(Dir.mktmpdir('vcad-bridge-test'))
  end

  # Environment variables may stand without braces among the options.
  # @return [Vcad::Bridge::Runtime] not started
  def build_runtime(environment = {}, stored: StoredValues.new, clock: Vcad::Bridge::Assembly::CLOCK,
                    **options)
    given, options = options.partition { |key, _| key.is_a?(String) }.map(&:to_h)
    environment = { 'SUPEX_PORT' => '0', 'SUPEX_REPL_PORT' => '0', 'SUPEX_SILENT' => '1' }
                  .merge(environment, given)
    settings = Vcad::Bridge::Settings.new(environment, stored: stored)
    console = Vcad::Bridge::ConsoleCapture.new(folder: File.join(workspace, 'console'))
    Vcad::Bridge::Assembly.runtime(settings: settings, clock: clock, console: console, **options)
                          .tap { |runtime| @runtimes << runtime }
  end

  # @return [Vcad::Bridge::Runtime] listening on free ports
  def start_runtime(environment = {}, **options)
    build_runtime(environment, **options).tap(&:start)
  end

  # @return [RuntimeClient] connected, before hello
  def connect(runtime, port: runtime.bridge_port)
    RuntimeClient.new(runtime, port).tap { |client| @clients << client }
  end

  # @return [RuntimeClient] after hello with this test's workspace
  def greeted(runtime, **params)
    connect(runtime).tap { |client| client.hello(workspace: workspace, **params) }
  end
end
