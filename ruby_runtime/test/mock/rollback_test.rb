# frozen_string_literal: true

require_relative 'model_case'

# Long runs of mixed changes, taken back and made again.
class ModelRollbackTest < ModelCase
  # Makes changes drawn from a seeded generator.
  class Changes
    def initialize(test, seed)
      @test = test
      @model = test.model
      @random = Random.new(seed)
    end

    NAMES = %i[define place erase swap move dress annotate nest group explode redraw split paint reverse purge
               unique].freeze

    def make
      public_send(NAMES[@random.rand(NAMES.size)])
    end

    def any(list)
      list[@random.rand(list.size)] unless list.empty?
    end

    def definition
      any(@model.definitions.to_a.reject(&:group?))
    end

    def instance
      any(@model.definitions.flat_map(&:instances))
    end

    def somewhere
      Geom::Transformation.translation([@random.rand(9), @random.rand(9), @random.rand(9)]) *
        @test.rotation(@random.rand(360))
    end

    def define
      @test.box_definition('part', Array.new(3) { 1 + @random.rand(3) })
    end

    def place
      @model.entities.add_instance(definition || define, somewhere)
    end

    def erase
      instance&.erase!
    end

    def swap
      instance = any(@model.definitions.flat_map(&:instances).grep(Sketchup::ComponentInstance))
      other = definition
      return if instance.nil? || other.nil?
      if instance.parent.is_a?(Sketchup::ComponentDefinition) && other.headless_contains?(instance.parent)
        return
      end

      instance.definition = other
    end

    def move
      found = instance
      found.transformation = somewhere if found
    end

    def dress
      found = instance
      return unless found

      found.name = "n#{@random.rand(100)}"
      found.layer = @model.layers.add("layer#{@random.rand(3)}")
      found.hidden = @random.rand(2).zero?
    end

    def annotate
      (definition || @model).set_attribute('d', "k#{@random.rand(3)}", @random.rand(100))
      any(@model.definitions.to_a)&.delete_attribute('d', 'k1')
    end

    def nest
      outer = definition
      inner = definition
      return if outer.nil? || inner.headless_contains?(outer)

      outer.entities.add_instance(inner, somewhere)
    end

    def group
      members = @model.entities.to_a.sample(2, random: @random)
      @model.entities.add_group(members)
    end

    def explode
      any(@model.entities.grep(Sketchup::Group))&.explode
    end

    def redraw
      definition&.entities&.add_face([0, 0, 7], [3, 0, 7], [3, 3, 7 + @random.rand(2)])
    end

    def split
      any(definition&.entities&.grep(Sketchup::Edge).to_a)&.erase!
    end

    def paint
      material = @model.materials.add('paint')
      any(definition&.entities&.grep(Sketchup::Face).to_a)&.material = material
      @model.materials.remove(any(@model.materials.to_a)) if @random.rand(3).zero?
    end

    def reverse
      any(definition&.entities&.grep(Sketchup::Face).to_a)&.reverse!
    end

    def purge
      @model.definitions.purge_unused if @random.rand(4).zero?
    end

    def unique
      instance&.make_unique
    end
  end

  SEEDS = (1..5).to_a.freeze

  def test_undo_and_redo_of_many_changes_meet_the_same_states
    SEEDS.each do |seed|
      @model = Sketchup::Model.new
      changes = Changes.new(self, seed)
      states = { 0 => undoable_state }
      40.times { run_change(changes, states) }
      walk_back_and_forth(states, seed)
    end
  end

  def run_change(changes, states)
    before = undo_names.size
    operation('Change') { 3.times { changes.make } }
    states[undo_names.size] = undoable_state if undo_names.size > before
  end

  # Everything but whether the document counts as modified.
  def undoable_state
    state.except(:modified, :selection)
  end

  def walk_back_and_forth(states, seed)
    (states.size - 1).downto(1) do |number|
      assert_equal states[number], undoable_state, "seed #{seed}, before undoing #{number}"
      undo
    end
    assert_equal states[0], undoable_state, "seed #{seed}"
    1.upto(states.size - 1) do |number|
      redo!
      assert_equal states[number], undoable_state, "seed #{seed}, after redoing #{number}"
    end
  end

  def test_abort_after_many_changes_leaves_nothing
    SEEDS.each do |seed|
      @model = Sketchup::Model.new
      changes = Changes.new(self, seed)
      20.times { operation { changes.make } }
      before = state
      bounds = corners(model.bounds)
      model.start_operation('Work', true)
      30.times { changes.make }
      model.abort_operation

      assert_equal before, state, "seed #{seed}"
      assert_equal bounds, corners(model.bounds), "seed #{seed}"
    end
  end

  def test_geometry_stays_sewn_after_undo
    definition = box_definition
    definition.entities.grep(Sketchup::Face).first.erase!
    undo
    face = definition.entities.add_face([1, 0, 0], [2, 0, 0], [2, 2, 0], [1, 2, 0])

    assert_equal 15, definition.entities.grep(Sketchup::Edge).size
    assert_equal [3], face.edges.map { |edge| edge.faces.size }.uniq - [1]
  end

  def test_a_partial_import_leaves_nothing_after_abort
    Dir.mktmpdir do |folder|
      path = File.join(folder, 'part.stl')
      File.write(path, <<~STL)
        solid part
        facet normal 0 0 1
        outer loop
        vertex 0 0 0
        vertex 10 0 0
        vertex 0 10 0
        endloop
        endfacet
        endsolid part
      STL
      place(box_definition)
      before = state
      Headless.failures.order('import', 'partial')
      model.start_operation('Import', true)

      assert_raises(Headless::InjectedFailure) { model.definitions.import(path, { units: 'mm' }) }
      refute_equal before, state
      model.abort_operation
      assert_equal before, state
    end
  end
end
