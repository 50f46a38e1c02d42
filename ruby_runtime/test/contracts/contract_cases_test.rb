# frozen_string_literal: true

require 'test_helper'
require 'test_control'
require_relative 'story'
require_relative 'telling'

# The extension, on real sockets in this process, keeps to what tests/contracts/bridge says of it.
class ContractCasesTest < BridgeTest
  Contracts.stories.each do |story|
    define_method("test_#{story}".gsub(/\W+/, '_')) { tell(story) }
  end

  def test_both_sides_hold_one_table_of_error_codes
    table = JSON.parse(File.read(File.join(Contracts::FOLDER, 'error_codes.json')))['numbers']
    ours = Vcad::Bridge::ErrorCodes::BY_NUMBER.to_h { |number, names| [number.to_s, names.sort] }

    assert_equal table.transform_values(&:sort), ours
  end

  private

  def tell(story)
    runtime = start_runtime(environment(story.server), extra_tools: [Headless::TestControl.method(:add_to)])
    Contracts::Telling.new(story, port: runtime.bridge_port, places: places(story.files),
                                  turn: -> { runtime.tick }).play

    assert_empty Headless.host.gaps.to_a
  end

  def environment(server)
    { 'SUPEX_REPL_DISABLED' => '1', 'SUPEX_AUTH_TOKEN' => server['token'],
      'VCAD_BRIDGE_ALLOW_EVAL' => server['allow_eval'] ? '1' : nil }.compact
  end

  def places(files)
    %w[workspace outside].to_h do |name|
      place = File.join(workspace, name)
      Dir.mkdir(place)
      files.each { |file| FileUtils.cp(File.join(Contracts::FILES, file), place) }
      [name, place]
    end
  end
end
