# frozen_string_literal: true

require 'test_helper'
require_relative 'tool_calls'

class ImportResolutionTest < Minitest::Test
  include ToolCalls

  MIRRORED = [-2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1].freeze

  def setup
    super
    @definition = solid(10, 20, 30)
    @instance = @model.entities.add_instance(@definition, Geom::Transformation.new(mm(100, 0, 0)))
  end

  def test_dimensions_follow_the_axes
    result = resolve('dims')

    assert_equal ['dims', nil, @instance.entityID], result.values_at('extract', 'vcad_node_id', 'entity_id')
    assert_numbers [10, 20, 30], result['data'].values_at('width', 'height', 'depth')
    assert_equal result['data'], resolve('dimensions')['data']
  end

  def test_the_box_is_in_the_parents_coordinates_unless_asked
    assert_box [100, 0, 0], [110, 20, 30], resolve('bbox')['data']
    assert_box [0, 0, 0], [10, 20, 30], resolve('bbox', space: 'local')['data']
  end

  def test_a_turned_instance_has_other_dimensions_in_its_parent
    @instance.transformation = Geom::Transformation.rotation(ORIGIN, Z_AXIS, Math::PI / 2)

    assert_numbers [20, 10, 30], resolve('dims')['data'].values_at('width', 'height', 'depth')
    assert_numbers [10, 20, 30], resolve('dims', space: 'local')['data'].values_at('width', 'height', 'depth')
  end

  def test_the_world_goes_through_all_surroundings
    nested = nest(@definition, times: 1).first

    assert_box [1001, 0, 0], [1011, 20, 30], resolve('bbox', nested, space: 'world')['data']
    assert_in_delta 1001, resolve('transform', nested, space: 'world')['data']['matrix'][12]
    assert_in_delta 1, resolve('transform', nested)['data']['matrix'][12]
  end

  def test_the_world_box_of_a_turned_surrounding_is_tight
    assembly = @model.definitions.add('Turned')
    nested = assembly.entities.add_instance(@definition,
                                            Geom::Transformation.rotation(ORIGIN, Z_AXIS, -Math::PI / 4))
    @model.entities.add_instance(assembly, Geom::Transformation.rotation(ORIGIN, Z_AXIS, Math::PI / 4))

    assert_box [0, 0, 0], [10, 20, 30], resolve('bbox', nested, space: 'world')['data']
  end

  def test_an_entity_at_several_places_has_no_place_in_the_world
    nested = nest(@definition, times: 2).first
    error = assert_raises(Vcad::Bridge::Failure) { resolve('bbox', nested, space: 'world') }

    assert_equal 'NODE_AMBIGUOUS', error.error_code
  end

  def test_the_matrix_is_in_millimetres_with_a_last_element_of_one
    @instance.transformation = Geom::Transformation.new(mm(50, 0, 0)) * Geom::Transformation.scaling(2)

    assert_numbers [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 50, 0, 0, 1], resolve('transform')['data']['matrix']
  end

  def test_everything_at_once
    data = resolve('all')['data']

    assert_equal %w[bbox dims transform], data.keys.sort
    edge = @model.entities.add_line([0, 0, 0], [1, 0, 0])
    assert_nil resolve('all', edge)['data']['transform']
  end

  def test_what_has_no_transformation_is_refused
    edge = @model.entities.add_line([0, 0, 0], [1, 0, 0])

    assert_refused 'NO_TRANSFORMATION', 'resolve_vcad_import', entity_id: edge.entityID, extract: 'transform'
  end

  def test_entities_are_found_by_either_id
    by_text = call('resolve_vcad_import', entity_id: @instance.entityID.to_s, extract: 'dims')
    by_persistent_id = call('resolve_vcad_import', persistent_id: @instance.persistent_id, extract: 'dims')

    assert_equal by_text, by_persistent_id
    id = @instance.entityID
    @instance.erase!
    assert_refused 'ENTITY_NOT_FOUND', 'resolve_vcad_import', entity_id: id, extract: 'dims'
    assert_refused 'INVALID_PARAMS', 'resolve_vcad_import', extract: 'dims'
    assert_refused 'INVALID_PARAMS', 'resolve_vcad_import', entity_id: id, extract: 'colour'
  end

  def test_a_solid_of_the_workbench_is_named_not_copied
    placed = place('part', box(10, 10, 10))
    result = call('resolve_vcad_import', entity_id: placed['entity_id'], extract: 'solid')

    assert_equal %w[vcad part], result.values_at('source', 'vcad_node_id')
    refute result.key?('mesh')
  end

  def test_a_drawn_solid_is_a_closed_outward_mesh_in_millimetres
    result = resolve('solid')

    assert_equal 'native_mesh', result['source']
    assert_closed result['mesh']
    assert_equal 8 * 3, result['mesh']['positions'].length
    assert_in_delta 6000, volume(result['mesh']), 1e-6
    assert_in_delta 100, result['transform']['matrix'][12]
    assert_equal result['mesh']['positions'].length, result['mesh']['normals'].length
  end

  def test_faces_turned_by_hand_do_not_matter
    @definition.entities.grep(Sketchup::Face).each_with_index { |face, index| face.reverse! if index.odd? }

    assert_in_delta 6000, volume(resolve('solid')['mesh']), 1e-6
  end

  def test_a_mirrored_solid_faces_outward_too
    @instance.transformation = Vcad::Bridge::Millimetres.transformation(MIRRORED)

    assert_in_delta 6000, volume(resolve('solid')['mesh']), 1e-6
    baked = resolve('solid', space: 'world')['mesh']
    assert_closed baked
    assert_in_delta 12_000, volume(baked), 1e-6
  end

  def test_a_group_is_a_solid_as_well
    group = @model.entities.add_group
    fill(group.entities, 1, 2, 3)

    assert_in_delta 6, volume(resolve('solid', group)['mesh']), 1e-9
  end

  def test_an_open_shape_is_no_solid
    @definition.entities.grep(Sketchup::Face).first.erase!

    assert_refused 'ENTITY_NOT_SOLID', 'resolve_vcad_import', entity_id: @instance.entityID, extract: 'solid'
    face = @model.entities.add_face([0, 0, 0], [1, 0, 0], [0, 1, 0])
    assert_refused 'ENTITY_NOT_SOLID', 'resolve_vcad_import', entity_id: face.entityID, extract: 'solid'
  end

  def test_a_large_mesh_travels_as_a_file_of_the_workspace
    register(most_floats: 10)
    files = Array.new(2) { resolve('solid')['mesh_file'] }

    assert_equal 2, files.uniq.length
    assert(files.all? { |file| file.start_with?(File.join(@workspace, '.vcad', 'native-mesh')) })
    assert_closed JSON.parse(File.read(files.first))
  end

  def test_looking_changes_nothing
    before = counts
    %w[dims bbox transform all solid].each { |extract| resolve(extract) }

    assert_equal before, counts
  end

  private

  def register(most_floats: nil)
    return super() unless most_floats

    @registry = Vcad::Bridge::Tools::Registry.new
    Vcad::Bridge::Tools::Vcad::ImportResolution.new(most_floats:).add_to(@registry)
  end

  def resolve(extract, entity = @instance, **arguments)
    call('resolve_vcad_import', entity_id: entity.entityID, extract:, **arguments)
  end

  def mm(*coordinates)
    Vcad::Bridge::Millimetres.to_point(coordinates)
  end

  def solid(*size)
    definition = @model.definitions.add('Stone')
    fill(definition.entities, *size)
    definition
  end

  def fill(entities, *size)
    corners = ColladaBox.corners(size, [0, 0, 0]).map { |corner| mm(*corner) }
    entities.build { |builder| ColladaBox::FACES.each { |face| builder.add_face(corners.values_at(*face)) } }
  end

  def nest(definition, times:)
    assembly = @model.definitions.add('Assembly')
    nested = assembly.entities.add_instance(definition, Geom::Transformation.new(mm(1, 0, 0)))
    times.times do |index|
      @model.entities.add_instance(assembly, Geom::Transformation.new(mm(1000 + index, 0, 0)))
    end
    [nested]
  end

  def assert_numbers(expected, actual)
    expected.zip(actual).each { |want, got| assert_in_delta want, got, 1e-6 }
  end

  def assert_closed(mesh)
    sides = mesh['indices'].each_slice(3).flat_map { |a, b, c| [[a, b], [b, c], [c, a]] }

    assert_equal sides.sort, sides.map(&:reverse).sort
    assert_equal sides.uniq.length, sides.length
  end

  def volume(mesh)
    points = mesh['positions'].each_slice(3).map { |coordinates| Geom::Vector3d.new(*coordinates) }
    mesh['indices'].each_slice(3).sum do |triangle|
      a, b, c = points.values_at(*triangle)
      a.dot(b.cross(c)) / 6.0
    end
  end
end
