# frozen_string_literal: true

require 'test_helper'
require 'vcad_bridge/nodes/geometry/edge_softening'

# Lines show where a body has an edge and nowhere else, whatever the importer made of it.
class EdgeSofteningTest < BridgeTest
  def test_the_wall_of_a_round_body_shows_no_lines
    entities = prism(24)
    Vcad::Bridge::Nodes::EdgeSoftening.soften(entities)

    assert_equal 2 * 24, shown(entities).size
  end

  def test_a_turn_of_just_thirty_degrees_is_no_edge
    entities = prism(12)
    Vcad::Bridge::Nodes::EdgeSoftening.soften(entities)

    assert_equal 2 * 12, shown(entities).size
  end

  def test_the_edges_of_an_octagon_stay
    entities = prism(8)
    Vcad::Bridge::Nodes::EdgeSoftening.soften(entities)

    assert_equal 3 * 8, shown(entities).size
  end

  def test_what_is_soft_is_smooth_as_well_and_stays_so
    entities = prism(24)
    2.times { Vcad::Bridge::Nodes::EdgeSoftening.soften(entities) }
    soft = entities.grep(Sketchup::Edge).select(&:soft?)

    assert_equal 24, soft.size
    assert(soft.all?(&:smooth?))
  end

  def test_an_edge_of_one_face_stays
    entities = Sketchup.active_model.definitions.add('sheet').entities
    entities.add_face([0, 0, 0], [1, 0, 0], [1, 1, 0])
    Vcad::Bridge::Nodes::EdgeSoftening.soften(entities)

    assert_equal 3, shown(entities).size
  end

  private

  def prism(sides)
    ring = Array.new(sides) do |k|
      angle = 2.0 * Math::PI * k / sides
      [Math.cos(angle), Math.sin(angle)]
    end
    low, high = [0.0, 1.0].map { |z| ring.map { |x, y| Geom::Point3d.new(x, y, z) } }
    Sketchup.active_model.definitions.add('prism').entities.tap do |entities|
      entities.build do |builder|
        builder.add_face(low.reverse)
        builder.add_face(high)
        sides.times { |k| builder.add_face([low[k - 1], low[k], high[k], high[k - 1]]) }
      end
    end
  end

  def shown(entities)
    entities.grep(Sketchup::Edge).reject(&:soft?)
  end
end
