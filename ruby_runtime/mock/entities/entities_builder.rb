# frozen_string_literal: true

module Sketchup
  # Adds faces and edges inside of `Entities#build`, and only there.
  class EntitiesBuilder
    def initialize(entities, sewing)
      @entities = entities
      @sewing = sewing
    end

    def entities
      check
      @entities
    end

    # @return [Boolean] false after the block
    def valid?
      !@closed
    end

    # @param outer_loop [Array<Geom::Point3d>]
    # @param holes [Array<Array<Geom::Point3d>>]
    # @return [Sketchup::Face, nil] nil for a face that collapses when points are welded
    # @raise [ArgumentError] for points not in one plane
    def add_face(outer_loop, holes: [])
      check
      loops = [outer_loop, *holes].map { |points| points.map { |point| Headless::Coordinates.of(point) } }
      raise ArgumentError, 'Must have at least three points' if loops.any? { |points| points.size < 3 }

      Headless::FaceInput.refuse_bent(loops.flatten(1)) if loops.first.size > 3 && loops.size == 1
      refuse_bent_holes(loops) if loops.size > 1
      outer, *inner = loops.map { |points| points.map { |xyz| @sewing.vertex(xyz) } }
      @sewing.face(outer, inner)
    end

    # @return [Sketchup::Edge, nil]
    def add_edge(*points)
      add_edges(*points).first
    end

    # @return [Array<Sketchup::Edge>]
    def add_edges(*points)
      check
      points = points.first if points.size == 1
      vertices = points.map { |point| @sewing.vertex(Headless::Coordinates.of(point)) }
      vertices.each_cons(2).filter_map { |from, to| @sewing.edge(from, to) }
    end

    # @return [Sketchup::Vertex, nil]
    def vertex_at(point)
      check
      @sewing.vertex_at(Headless::Coordinates.of(point))
    end

    def headless_close
      @closed = true
    end

    private

    def check
      raise 'the EntitiesBuilder is valid in its block only' if @closed
    end

    def refuse_bent_holes(loops)
      outer = loops.first
      Headless::FaceInput.refuse_bent(outer)
      plane = Headless::Planes.read([Headless::Coordinates.point(outer.first),
                                     Headless::Coordinates.vector(Headless::Coordinates.area_vector(outer))])
      return if loops.flatten(1).all? do |xyz|
        Headless::Planes.signed_distance(plane, xyz).abs <= Headless::Units::TOLERANCE
      end

      raise ArgumentError, 'Points are not planar'
    end
  end
end
