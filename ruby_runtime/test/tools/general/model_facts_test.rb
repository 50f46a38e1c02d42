# frozen_string_literal: true

require 'test_helper'

class ModelFactsToolsTest < BridgeTest
  def setup
    super
    @model = Sketchup.active_model
    @client = greeted(start_runtime)
  end

  def test_an_empty_model
    info = @client.call('get_model_info')
    assert_equal [true, 'Untitled', 0, 0, 0, 0, true, 0, []],
                 info.values_at('success', 'title', 'num_faces', 'num_edges', 'num_groups', 'num_components',
                                'is_template_unsaved', 'num_vcad_nodes', 'active_path_ids')
    assert_includes %w[inches feet millimeters centimeters meters yards], info['units']
  end

  def test_units_by_name
    %w[inches feet millimeters centimeters meters yards].each_with_index do |name, index|
      @model.options['UnitsOptions']['LengthUnit'] = index
      assert_equal name, @client.call('get_model_info')['units']
    end
  end

  def test_only_the_root_is_counted
    group = @model.entities.add_group
    group.entities.add_face([0, 0, 0], [1, 0, 0], [1, 1, 0])
    @model.entities.add_instance(group.definition, Geom::Transformation.new)
    assert_equal [0, 0, 1, 1],
                 @client.call('get_model_info').values_at('num_faces', 'num_edges', 'num_groups',
                                                          'num_components')
  end

  def test_layers_and_materials
    @model.layers.add('Walls').visible = false
    oak = @model.materials.add('Oak')
    oak.color = Sketchup::Color.new(200, 150, 100)
    oak.alpha = 0.5
    layers = @client.call('get_layers')
    assert_equal 2, layers['count']
    assert_equal ['Walls', false], layers['layers'].last.values_at('name', 'visible')
    material = @client.call('get_materials')['materials'].first
    assert_equal ['Oak', false, { 'red' => 200, 'green' => 150, 'blue' => 100, 'alpha' => 0.5 }],
                 material.values_at('name', 'textured', 'color')
  end

  def test_a_perspective_camera_has_an_angle_and_a_parallel_one_a_height
    view = @model.active_view
    view.camera = Sketchup::Camera.new([100, 0, 0], [0, 0, 0], [0, 0, 1], true, 40)
    camera = @client.call('get_camera_info')
    assert_equal [[100.0, 0.0, 0.0], [2540.0, 0.0, 0.0], true, 40.0],
                 camera.values_at('eye', 'eye_mm', 'perspective', 'fov')
    refute_includes camera, 'height_mm'
    parallel = Sketchup::Camera.new([100, 0, 0], [0, 0, 0], [0, 0, 1], false)
    parallel.height = 10
    view.camera = parallel
    camera = @client.call('get_camera_info')
    assert_equal [false, nil], camera.values_at('perspective', 'fov')
    assert_in_delta 254.0, camera['height_mm']
  end

  def test_every_number_is_a_number
    @model.entities.add_face([0, 0, 0], [1, 0, 0], [1, 1, 0])
    instance = @model.entities.add_group
    instance.entities.add_line([0, 0, 0], [1, 0, 0])
    replies = %w[get_camera_info list_entities].map { |tool| @client.call(tool) }
    replies << @client.call('get_entity', 'entity_id' => instance.entityID)
    replies << @client.request('resources/list')['result']
    replies.each { |reply| refute_match(/"~?\s*[\d.]+\s*(?:"|'|mm|m)/, JSON.generate(reply)) }
    edge = replies[1]['entities'].find { |row| row['type'] == 'Edge' }
    assert_kind_of Float, edge['length']
  end
end
