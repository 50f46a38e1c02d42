# frozen_string_literal: true

require 'test_helper'
require_relative 'tool_calls'

# Long mixed work of the tools and a person, with failures in between: what fails changes nothing, undoing all
# of it leads back to the empty model, and redoing leads to the end again.
class RandomWorkTest < Minitest::Test
  include ToolCalls

  STRUCTURES = %w[flat wrapped multi].freeze
  FAILURES = [%w[import raise], %w[import nil], %w[import partial], %w[definition_set raise],
              %w[add_instance nil]].freeze
  STEPS = %i[place add update define put change take_away remove edit undo redo].freeze

  (1..10).each do |seed|
    define_method("test_work_number_#{seed}_can_be_undone_and_redone") do
      @random = Random.new(seed)
      call('vcad.observer_start')
      start = state
      40.times { step }
      finish = state
      done = @model.headless_journal.undo_names.length
      call('undo', steps: done) if done.positive?

      assert_equal start, state
      call('redo', steps: done) if done.positive?
      assert_equal finish, state
    end
  end

  private

  def step
    before = state
    Headless.configuration.update(dae_structure: pick(STRUCTURES))
    Headless.failures.order(*pick(FAILURES)) if @random.rand(6).zero?
    send(pick(STEPS))
  rescue Vcad::Bridge::Failure
    assert_equal before, state
  ensure
    assert_empty Headless.host.gaps.to_a
    Headless.host.renew # a failure that was not met must not wait for a later step
    call('vcad.observer_poll')
  end

  def state
    { nodes: call('list_vcad_nodes', placements: true), definitions: @model.definitions.map(&:name),
      entities: @model.entities.map(&:persistent_id), materials: @model.materials.map(&:name),
      layers: @model.layers.map(&:name) }.transform_values { |values| values.sort_by(&:to_s) }
  end

  def pick(choices)
    choices.sample(random: @random)
  end

  def node_id
    "node-#{@random.rand(3)}"
  end

  def any_box
    box(1 + @random.rand(9), 10, 10)
  end

  def at_random
    [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, @random.rand(100), 0, 0, 1]
  end

  def any_instance
    rows = call('list_vcad_nodes', placements: true).flat_map { |row| row['placements'] }
    rows.empty? ? nil : pick(rows)['persistent_id']
  end

  def place
    super(node_id, any_box, position: [@random.rand(100), 0, 0])
  end

  def add
    call('place_vcad_node', node_id: node_id, mesh_path: any_box, if_exists: 'add_instance', layer: 'Added')
  end

  def update
    call('update_vcad_node', node_id: node_id, mesh_path: any_box, force: pick([true, false]))
  end

  def define
    call('upsert_vcad_definition', node_id: node_id, mesh_path: any_box)
  end

  def put
    call('place_vcad_instance', node_id: node_id, instance_id: "one-#{@random.rand(3)}",
                                transformation: at_random)
  end

  def change
    id = any_instance
    call('set_vcad_instance', persistent_id: id, layer: pick(['', 'Frame']), transformation: at_random) if id
  end

  def take_away
    id = any_instance
    call('remove_vcad_instance', persistent_id: id) if id
  end

  def remove
    call('remove_vcad_node', node_id: node_id, force: true)
  end

  # What a person does meanwhile.
  def edit
    id = any_instance
    return unless id

    instance = @model.find_entity_by_persistent_id(id)
    edits = [-> { instance.locked = true }, -> { instance.make_unique }, -> { group(instance) }]
    as_user { pick(edits).call }
  end

  def group(instance)
    @model.entities.add_group([instance]) if instance.parent == @model && !instance.locked?
  end

  def undo
    call('undo')
  end

  def redo
    call('redo')
  end
end
