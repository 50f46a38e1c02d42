# frozen_string_literal: true

require 'test_helper'
require 'json'
require 'open3'
require 'rbconfig'
require 'socket'
require 'timeout'
require 'tmpdir'

# The real process, as it is started by others.
class LauncherTest < Minitest::Test
  SCRIPT = File.join(Headless::ROOT, 'launch.rb')
  PATIENCE = 30

  def test_it_says_when_it_listens_and_ends_with_its_standard_input
    start do |input, output, process|
      ready = output.gets
      assert_match(/\AREADY bridge=\d+ repl=\d+ pid=#{process.pid}\n\z/, ready)
      input.close
      assert_predicate ended(process), :success?
    end
  end

  def test_it_ends_in_good_order_on_a_signal
    start do |_input, output, process|
      output.gets
      Process.kill('TERM', process.pid)
      assert_predicate ended(process), :success?
    end
  end

  def test_the_extension_answers_with_its_tools_and_those_of_the_test
    start do |_input, output, _process|
      box = call('_test.add_definition', 'name' => 'box', 'box_mm' => [10, 20, 30])
      answers = talk(port(output), hello, box, call('_test.get_state'), call('_test.nothing'))
      assert_includes answers[0]['result']['capabilities'], 'test_control'
      assert_equal true, answers[0]['result']['sketchup']['mock']
      assert_equal 'box', answers[1]['result']['name']
      assert_equal 1, answers[2]['result']['definition_count']
      assert_equal 'TOOL_NOT_FOUND', answers[3]['error']['data']['error_code']
    end
  end

  def test_a_taken_port_is_told_and_ends_it
    TCPServer.open('127.0.0.1', 0) do |taken|
      output, status = Open3.capture2(*command('--port', taken.addr[1].to_s), err: File::NULL)
      assert_equal 1, status.exitstatus
      assert_match(/\AFAILED .*#{taken.addr[1]}/, output)
    end
  end

  def test_a_wrong_option_is_told
    _, errors, status = Open3.capture3(*command('--workspace', '/no/such/folder'))
    assert_equal 2, status.exitstatus
    assert_includes errors, '/no/such/folder'
  end

  def test_a_model_that_cannot_be_read_is_told_and_ends_it
    output, status = Open3.capture2(*command('--seed', '/no/such/model.skp'), err: File::NULL)
    assert_equal 1, status.exitstatus
    assert_match(%r{\AFAILED cannot read /no/such/model.skp}, output)
  end

  def test_it_begins_with_the_model_it_is_given
    Dir.mktmpdir do |folder|
      path = File.join(folder, 'seed.skp')
      Headless.reset
      Sketchup.active_model.entities.add_line([0, 0, 0], [1, 0, 0])
      Sketchup.active_model.save(path)
      start('--seed', path) do |_input, output, _process|
        state = talk(port(output), hello, call('_test.get_state'))[1]['result']
        assert_equal ['seed', 1, false], state.values_at('title', 'entity_count', 'modified')
      end
    end
  ensure
    Headless.reset
  end

  private

  def command(*arguments)
    [RbConfig.ruby, '--disable-gems', '-E', 'UTF-8:UTF-8', SCRIPT, '--port', '0', '--repl-port', '0',
     *arguments]
  end

  def start(*arguments, &block)
    Open3.popen2(*command(*arguments), err: File::NULL, &block)
  end

  def ended(process)
    Timeout.timeout(PATIENCE) { process.value }
  end

  def port(output)
    output.gets[/bridge=(\d+)/, 1].to_i
  end

  def hello
    { 'method' => 'hello', 'params' => { 'name' => 'test', 'version' => '1', 'agent' => 'test', 'pid' => 1 } }
  end

  def call(tool, arguments = {})
    { 'method' => 'tools/call', 'params' => { 'name' => tool, 'arguments' => arguments } }
  end

  def talk(port, *requests)
    Timeout.timeout(PATIENCE) do
      TCPSocket.open('127.0.0.1', port) do |socket|
        requests.each_with_index.map do |request, id|
          socket.write("#{JSON.generate({ 'jsonrpc' => '2.0', 'id' => id }.merge(request))}\n")
          JSON.parse(socket.gets)
        end
      end
    end
  end
end
