# frozen_string_literal: true

require_relative 'importing'
require_relative 'collada_text'

class ColladaStructureTest < ImportTest
  STRUCTURES = %w[flat wrapped multi].freeze
  SHAPE = '<instance_geometry url="#shape"/>'

  # Metres in a unit, or nil for none, and 10 by 20 by 30 mm in it.
  UNITS = [[0.001, [10, 20, 30]], [1, [0.01, 0.02, 0.03]], [nil, [0.01, 0.02, 0.03]],
           [0.0254, [10 / 25.4, 20 / 25.4, 30 / 25.4]]].freeze

  def test_every_structure_gives_the_same_box_for_every_unit_and_axis
    STRUCTURES.product(UNITS, %w[Z_UP Y_UP X_UP]).each do |structure, (meter, size), axis|
      structured(structure)
      definition = import(ColladaText.box(size, meter: meter, up_axis: axis))

      assert_bounds [0, 0, 0], [10, 20, 30], definition
      assert_equal 6, faces(definition.entities).size, [structure, meter, axis].inspect
    end
  end

  def test_flat_puts_the_geometry_into_the_new_definition
    definition = import(ColladaText.box)

    assert_equal 6, definition.entities.grep(Sketchup::Face).size
    assert_equal 12, edges(definition).size
    assert_predicate placed(definition), :manifold?
    assert_in_delta 6000.0, placed(definition).volume * (25.4**3), 1e-6
  end

  def test_wrapped_holds_the_unit_in_the_scale_of_one_group
    structured('wrapped')
    definition = import(ColladaText.box)
    group = definition.entities[0]

    assert_equal [Sketchup::Group], definition.entities.map(&:class)
    assert_in_delta 10.0, group.definition.bounds.width.to_f, 1e-9
    assert_in_delta 25.4, group.transformation.to_a[15], 1e-9
    refute_predicate placed(definition), :manifold?
  end

  def test_multi_makes_one_component_per_node
    structured('multi')
    nodes = [[0, 'left'], [50, 'right']].map do |offset, name|
      "<node name=\"#{name}\"><translate>#{offset} 0 0</translate>#{SHAPE}</node>"
    end
    definition = import(ColladaText.box(nodes: nodes.join))

    assert_equal(%w[left right], definition.entities.map { |instance| instance.definition.name })
    assert_bounds [0, 0, 0], [60, 20, 30], definition
    assert_in_delta 50.0, definition.entities[1].transformation.origin.x.to_mm, 1e-9
  end

  def test_nested_nodes_multiply_their_transforms_in_every_structure
    inner = "<node name=\"inner\"><rotate>0 0 1 90</rotate><scale>2 1 1</scale>#{SHAPE}</node>"
    matrix = '<matrix>1 0 0 100 0 1 0 0 0 0 1 5 0 0 0 1</matrix>'
    STRUCTURES.each do |structure|
      structured(structure)
      definition = import(ColladaText.box(nodes: "<node name=\"outer\">#{matrix}#{inner}</node>"))

      assert_bounds [80, 0, 5], [100, 20, 35], definition
      assert_equal 6, faces(definition.entities).size
    end
  end

  def test_transforms_of_a_node_are_applied_in_the_order_of_the_file
    nodes = "<node name=\"n\"><translate>10 0 0</translate><rotate>0 0 1 90</rotate>#{SHAPE}</node>"

    assert_bounds [-10, 0, 0], [10, 10, 30], import(ColladaText.box(nodes: nodes))
  end

  def test_library_nodes_are_instanced
    library = '<library_nodes><node id="kept" name="kept"><translate>0 0 7</translate>' \
              "#{SHAPE}</node></library_nodes>"
    nodes = '<node name="a"><instance_node url="#kept"/></node>' \
            '<node name="b"><translate>100 0 0</translate><instance_node url="#kept"/></node>'
    STRUCTURES.each do |structure|
      structured(structure)

      assert_bounds [0, 0, 7], [110, 20, 37], import(ColladaText.box(libraries: library, nodes: nodes))
    end
  end

  def test_a_mirroring_node_keeps_the_faces_outwards
    nodes = '<node name="m"><scale>-1 1 1</scale><instance_geometry url="#shape"/></node>'
    definition = import(ColladaText.box(nodes: nodes))
    top = definition.entities.grep(Sketchup::Face).find { |face| face.bounds.min.z.to_mm > 29 }

    assert_bounds [-10, 0, 0], [0, 20, 30], definition
    assert top.normal.samedirection?(Z_AXIS)
  end

  def test_a_definition_is_named_after_its_file_and_made_unique
    names = Array.new(2) { import(ColladaText.box, name: 'my part.dae').name }

    assert_equal ['my part', 'my part#1'], names
  end

  def test_an_import_is_one_undo_step
    before = state
    import(ColladaText.box)
    Sketchup.undo

    assert_equal before, state
  end

  def test_an_aborted_operation_takes_the_import_back
    before = state
    @model.start_operation('Try', true)
    import(ColladaText.box)
    @model.abort_operation

    assert_equal before, state
  end

  private

  def structured(structure)
    Headless.configuration.update(dae_structure: structure)
  end

  def placed(definition)
    @model.entities.add_instance(definition, IDENTITY)
  end
end
