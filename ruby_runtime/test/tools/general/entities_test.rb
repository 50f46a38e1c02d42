# frozen_string_literal: true

require 'test_helper'

class EntitiesToolsTest < BridgeTest
  def setup
    super
    @model = Sketchup.active_model
    @face = @model.entities.add_face([0, 0, 0], [10, 0, 0], [10, 10, 0], [0, 10, 0])
    @definition = @model.definitions.add('Bracket')
    @definition.entities.add_face([0, 0, 0], [1, 0, 0], [1, 2, 0], [0, 2, 0])
    @instance = @model.entities.add_instance(@definition, Geom::Transformation.new([5, 0, 0]))
    @client = greeted(start_runtime)
  end

  def test_rows_by_kind
    assert_equal 4, @client.call('list_entities', 'entity_type' => 'edges')['count']
    faces = @client.call('list_entities', 'entity_type' => 'faces')
    assert_equal ['Face', @face.entityID, 100.0],
                 faces['entities'].first.values_at('type', 'entity_id', 'area')
    row = @client.call('list_entities', 'entity_type' => 'components')['entities'].first
    assert_equal ['ComponentInstance', @instance.entityID, 'Bracket', @instance.persistent_id,
                  @definition.entityID],
                 row.values_at('type', 'entity_id', 'name', 'persistent_id', 'definition_id')
    assert row['layer']
  end

  def test_an_unnamed_group_is_shown_as_such
    @model.entities.add_group
    row = @client.call('list_entities', 'entity_type' => 'groups')['entities'].first
    assert_equal ['Group', '(unnamed)'], row.values_at('type', 'name')
  end

  def test_pages_of_rows
    first = @client.call('list_entities', 'limit' => 4)
    assert_equal [4, 6, 4], first.values_at('count', 'total', 'next_offset')
    rest = @client.call('list_entities', 'limit' => 4, 'offset' => 4)
    assert_equal [2, nil], rest.values_at('count', 'next_offset')
    assert_equal 6, (first['entities'] + rest['entities']).map { |row| row['entity_id'] }.uniq.length
    assert_equal 0, @client.call('list_entities', 'offset' => 100)['count']
  end

  def test_scopes
    assert_equal 5, @client.call('list_entities', 'scope' => 'definition:Bracket')['count']
    assert_equal 6, @client.call('list_entities', 'scope' => 'active')['count']
    %w[definition:None elsewhere].each do |scope|
      assert_equal 'scope', @client.failure('list_entities', 'scope' => scope)['details']['path']
    end
  end

  def test_an_unknown_kind_is_told
    failure = @client.failure('list_entities', 'entity_type' => 'walls')
    assert_equal %w[INVALID_PARAMS entity_type], [failure['error_code'], failure['details']['path']]
  end

  def test_the_selection_has_areas_normals_and_no_layers
    @model.selection.add(@face)
    result = @client.call('get_selection')
    row = result['entities'].first
    assert_equal 1, result['count']
    assert_equal ['Face', 100.0, 1.0], [row['type'], row['area'], row['normal'][2].abs]
    refute_includes row, 'layer'
  end

  def test_one_entity_in_full_in_millimetres
    @instance.set_attribute('shop', 'price', 5)
    @instance.name = 'left'
    entity = @client.call('get_entity', 'entity_id' => @instance.entityID)['entity']
    assert_equal({ 'min' => [127.0, 0.0, 0.0], 'max' => [152.4, 50.8, 0.0] }, rounded(entity['bounds_mm']))
    assert_equal 127.0, entity['transformation_mm'][12].round(6)
    assert_equal({ 'shop' => { 'price' => 5 } }, entity['attributes'])
    assert_equal ['Bracket', 1], entity['definition'].values_at('name', 'instances')
    assert_equal false, entity['flags']['locked']
    assert_equal entity, @client.call('get_entity', 'persistent_id' => @instance.persistent_id)['entity']
  end

  def test_an_entity_that_is_gone
    id = @face.entityID
    @face.erase!
    failure = @client.failure('get_entity', 'entity_id' => id)
    assert_equal [-32_004, 'ENTITY_NOT_FOUND', "Entity not found: #{id}"],
                 failure.values_at('code', 'error_code', 'message')
    assert_equal 'INVALID_PARAMS', @client.failure('get_entity')['error_code']
  end

  def test_resources_have_bounds_in_inches
    rows = @client.request('resources/list')['result']['resources']
    row = rows.find { |candidate| candidate['id'] == @instance.entityID }
    assert_equal ['componentinstance', [5.0, 0.0, 0.0], [6.0, 2.0, 0.0]],
                 [row['type'], row['bounds']['min'], row['bounds']['max']]
  end

  private

  def rounded(box)
    box.transform_values { |corner| corner.map { |number| number.round(6) } }
  end
end
