# frozen_string_literal: true

require 'json'
require 'tmpdir'
require 'fileutils'
require 'vcad_bridge/calls/arguments'
require 'vcad_bridge/calls/call'
require 'vcad_bridge/model/model_journal'
require 'vcad_bridge/paths/path_policy'
require 'vcad_bridge/services'
require 'vcad_bridge/tools/registry'
require 'vcad_bridge/tools/vcad'
require 'vcad_bridge/watching/watch_lists'
require_relative 'collada_box'

# Calls of the node tools on a fresh model, without sockets. Results come back as a client reads them.
module ToolCalls
  PLAIN = [String, Integer, Float, TrueClass, FalseClass, NilClass].freeze
  Session = Struct.new(:paths, :agent, :connection_id)

  def setup
    @model = Headless.reset
    @workspace = File.realpath(Dir.mktmpdir('vcad-tools'))
    @now = 0.0
    @journal = Vcad::Bridge::ModelJournal.new
    @journal.attach(@model)
    @services = Vcad::Bridge::Services.new(clock: lambda {
                                                    @now
                                                  }, journal: @journal, hooks: Vcad::Bridge::Hooks.new,
                                           watch_lists: watch_lists(2048))
    register
    @session = Session.new(Vcad::Bridge::PathPolicy.new(workspace: @workspace), 'test', 1)
  end

  def teardown
    @services.watch_lists.close
    @journal.close
    FileUtils.rm_rf(@workspace)
    assert_nil @model.headless_journal.open_operation, 'an operation was left open' if @model.valid?
    assert_empty Headless::Observers.errors
    assert_empty Headless.host.gaps.to_a
  end

  def watch_lists(limit)
    Vcad::Bridge::Watching::WatchLists.new(@journal, limit:, clock: -> { @now })
  end

  def register
    @registry = Vcad::Bridge::Tools::Registry.new
    Vcad::Bridge::Tools::Vcad.add_to(@registry, @services)
  end

  # @return [Hash, Array] the result, through JSON
  def call(tool, **arguments)
    context = Vcad::Bridge::Call.new(tool:, session: @session, services: @services)
    parsed = JSON.parse(JSON.generate(arguments))
    result = @registry.fetch(tool).body.call(Vcad::Bridge::Arguments.new(parsed), context)
    assert_plain(result)
    JSON.parse(JSON.generate(result))
  end

  # Lengths of the host would be serialised as text.
  def assert_plain(value)
    case value
    when Hash then value.each_value { |part| assert_plain(part) }
    when Array then value.each { |part| assert_plain(part) }
    else flunk "#{value.class} in a result" unless PLAIN.include?(value.class)
    end
  end

  # @return [Hash] the details of the failure, through JSON
  def assert_refused(error_code, tool, **arguments)
    failure = assert_raises(Vcad::Bridge::Failure) { call(tool, **arguments) }
    assert_equal error_code, failure.error_code, failure.message
    JSON.parse(JSON.generate(failure.details))
  end

  # Writes a box into the workspace.
  # @return [String] its path
  def box(*size, name: "box-#{size.join('x')}.dae", **options)
    path = File.join(@workspace, name)
    File.write(path, ColladaBox.text(size, **options))
    path
  end

  def place(node_id, mesh_path, **arguments)
    call('place_vcad_node', node_id:, mesh_path:, **arguments)
  end

  def entity(result)
    @model.find_entity_by_id(result.fetch('entity_id'))
  end

  # What an aborted operation must leave alone.
  def counts
    { definitions: @model.definitions.length, materials: @model.materials.length,
      layers: @model.layers.length, entities: @model.entities.length,
      undo: @model.headless_journal.undo_names }
  end

  # A change that a person makes: one operation.
  def as_user(name = 'Edit')
    @model.start_operation(name, true)
    yield
    @model.commit_operation
  end

  def assert_box(expected_min, expected_max, bounds)
    [[expected_min, bounds['min']], [expected_max, bounds['max']]].each do |expected, actual|
      expected.zip(actual).each { |want, got| assert_in_delta want, got, 1e-6 }
    end
  end

  def assert_undo_steps(*names)
    assert_equal names, @model.headless_journal.undo_names
  end
end
