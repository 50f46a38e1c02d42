# frozen_string_literal: true

require 'test_helper'
require 'fileutils'
require 'open3'
require 'rbconfig'
require 'tmpdir'

# How the extension registers, starts and reloads, each time in a SketchUp of its own.
class ExtensionTest < Minitest::Test
  ROOT = File.expand_path('../..', __dir__)
  PREPARE = <<~RUBY
    require 'headless'
    require 'json'
    require 'socket'
    ENV.update('SUPEX_PORT' => '0', 'SUPEX_REPL_PORT' => '0', 'SUPEX_SILENT' => '1')
    # The extension is loaded when its owner would load it.
    def start
      require 'vcad_bridge'
      Headless.host.settle if Headless.host.respond_to?(:settle)
      Vcad::Bridge.runtime
    end

    def ask(*lines)
      socket = TCPSocket.new('127.0.0.1', Vcad::Bridge.runtime.bridge_port)
      lines.map do |line|
        socket.write(JSON.generate(line) + "\\n")
        Headless.host.timers.advance(0.3)
        JSON.parse(socket.gets)
      end
    end
    HELLO = { method: 'hello', params: { name: 'a', version: '1', agent: 'b', pid: 1 }, id: 1 }.freeze
    SLOW = $stdout
    def tell(value) = SLOW.write(JSON.generate(value))
  RUBY

  def test_the_root_file_registers_and_loads_nothing_else
    result = sketchup(<<~RUBY)
      module Sketchup
        def self.register_extension(extension, load)
          $registered = [extension.name, extension.version, extension.creator, load]
        end
      end
      require 'vcad_bridge'
      loaded = $LOADED_FEATURES.grep(%r{src/vcad_bridge/}).length
      tell(registered: $registered, loaded: loaded, constants: Vcad::Bridge.constants)
    RUBY
    metadata = JSON.parse(File.read(File.join(ROOT, 'src/vcad_bridge/extension.json')))
    assert_equal [*metadata.values_at('name', 'version', 'creator'), true], result['registered']
    assert_equal [0, ['EXTENSION']], result.values_at('loaded', 'constants')
  end

  def test_it_starts_by_itself_unless_told_otherwise
    assert sketchup('tell(running: start.running?)')['running']
    refute sketchup("ENV['SUPEX_NO_AUTOSTART'] = '1'; tell(running: start.running?)")['running']
  end

  def test_a_taken_port_does_not_break_the_start_of_sketchup
    result = sketchup(<<~RUBY)
      taken = TCPServer.new('127.0.0.1', 0)
      ENV['SUPEX_PORT'] = taken.local_address.ip_port.to_s
      runtime = start
      tell(running: runtime.running?, failure: runtime.failure, port: runtime.bridge_port)
    RUBY
    assert_equal [false, nil], result.values_at('running', 'port')
    assert_match(/cannot listen on 127\.0\.0\.1:\d+/, result['failure'])
  end

  def test_an_address_that_cannot_be_resolved_is_told_and_does_not_stop_the_extension
    result = sketchup(<<~RUBY)
      ENV.update('VCAD_BRIDGE_BIND' => 'fe80::1%nowhere', 'SUPEX_ALLOW_REMOTE' => '1',
                 'SUPEX_AUTH_TOKEN' => 'secret')
      runtime = start
      tell(running: runtime.running?, failure: runtime.failure)
    RUBY
    refute result['running']
    assert_match(/cannot listen on fe80::1%nowhere/, result['failure'])
  end

  # On Windows the host labels the names of its source files with another encoding than they have.
  def test_the_extension_works_in_a_folder_whose_name_is_not_ascii
    Dir.mktmpdir do |folder|
      plugins = File.join(folder, 'Jürgen', 'Plugins')
      FileUtils.mkdir_p(plugins)
      FileUtils.cp_r(File.join(ROOT, 'src', '.'), plugins)
      result = sketchup(<<~RUBY, source: plugins, environment: { 'LC_ALL' => 'C' })
        Encoding.default_external = Encoding::Windows_1252
        register = Sketchup.method(:register_extension)
        Sketchup.define_singleton_method(:register_extension) do |*given|
          Encoding.default_external = Encoding::UTF_8
          register.call(*given)
        end
        ENV['VCAD_BRIDGE_ALLOW_EVAL'] = '1'
        start
        code = 'eval("raise ArgumentError", nil, "C:/J\\u00fcrgen/x.rb".encode("Windows-1252"))'
        failed = ask(HELLO, { command: 'eval_ruby', parameters: { code: code }, id: 2 }).last
        $LOADED_FEATURES << "C:/J\\u00fcrgen/other.rb".encode('Windows-1252')
        ask(HELLO, { command: 'reload_extension', id: 3 })
        Headless.host.timers.advance(1)
        tell(failed: failed.dig('error', 'data', 'error_code'), running: Vcad::Bridge.runtime&.running?,
             labelled: Sketchup.extensions.map { |extension| extension.extension_path.encoding.name })
      RUBY
      assert_equal ['RUBY_ERROR', true, ['UTF-8']], result.values_at('failed', 'running', 'labelled')
    end
  end

  def test_reloading_answers_first_and_keeps_the_tools_of_others
    result = sketchup(<<~RUBY)
      module Vcad; module Bridge; end; end
      Vcad::Bridge.define_singleton_method(:extra_tools) { @extra_tools ||= [] }
      Vcad::Bridge.extra_tools << ->(registry, _) { registry.add('mine', effect: :read) { |_, _| { 'ok' => 1 } } }
      before = start
      answer = ask(HELLO, { command: 'reload_extension', id: 2 }).last
      Headless.host.timers.advance(1)
      after = Vcad::Bridge.runtime
      mine = ask(HELLO, { command: 'mine', id: 3 }).last
      tell(answer: answer['result'], same: before.equal?(after), mine: mine['result'], old: before.running?)
    RUBY
    assert_equal [true, false, { 'ok' => 1 }, false],
                 [result['answer']['success'], result['same'], result['mine'], result['old']]
  end

  def test_the_menu_starts_stops_and_keeps_the_evaluation_switch
    result = sketchup(<<~RUBY)
      runtime = start
      menu = Vcad::Bridge::Menu
      text = menu.status_text
      settings = runtime.services.settings
      UI.define_singleton_method(:inputbox) { |*_| ['Yes', 'Yes'] }
      menu.send(:ask_settings)
      runtime.stop
      tell(text: text, allowed: settings.allow_eval?, stopped: menu.status_text)
    RUBY
    assert_match(/Running\nBridge port \d+, REPL port \d+\nClients: 0\nRuby evaluation: not allowed/,
                 result['text'])
    assert_equal true, result['allowed']
    assert_match(/Stopped\nRuby evaluation: allowed/, result['stopped'])
  end

  private

  def sketchup(script, source: File.join(ROOT, 'src'), environment: {})
    paths = [File.join(ROOT, 'mock'), source].flat_map { |folder| ['-I', folder] }
    output, status = Open3.capture2e(environment, RbConfig.ruby, '--disable-gems', *paths,
                                     '-e', PREPARE + script)
    assert_predicate status, :success?, output
    JSON.parse(output)
  end
end
