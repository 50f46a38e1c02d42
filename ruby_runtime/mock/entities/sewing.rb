# frozen_string_literal: true

module Headless
  # Sews vertices, edges and faces together in one collection: points within tolerance become one vertex,
  # each pair of vertices has one edge. Nothing intersects.
  class Sewing
    # What was made since the last {#take}: edges and faces in order, and vertices.
    attr_reader :elements, :vertices, :collapsed

    # @param welded [Boolean] no two points that come are the same, and none is there yet
    def initialize(entities, welded: false)
      @entities = entities
      @places = PointPlaces.new
      @edges = {}
      @welded = welded
      forget
      entities.headless_list.each { |element| learn(element) if element.is_a?(Sketchup::Edge) }
    end

    # @param xyz [Array(Float, Float, Float)] inches; kept
    # @return [Sketchup::Vertex] the one that is there, or a new one
    def vertex(xyz)
      return new_vertex(xyz) if @welded

      @places.fetch(xyz) { new_vertex(xyz) }
    end

    # @return [Sketchup::Vertex, nil]
    def vertex_at(xyz)
      @places.fetch(xyz) { return nil }
    end

    # @return [Sketchup::Edge, nil] nil between a vertex and itself
    def edge(from, to)
      return nil if from.equal?(to)

      @edges[edge_key(from.headless_id, to.headless_id)] ||= new_edge(from, to)
    end

    # @return [Sketchup::Edge, nil] the one that is there
    def edge_between(from, to)
      @edges[edge_key(from.headless_id, to.headless_id)]
    end

    # @param outer [Array<Sketchup::Vertex>] corners; equal neighbours count once
    # @param holes [Array<Array<Sketchup::Vertex>>]
    # @return [Sketchup::Face, nil] nil for a polygon that collapses
    def face(outer, holes = [])
      outer = without_repetition(outer)
      return drop if flat?(outer)

      holes = holes.map { |hole| without_repetition(hole) }.reject { |hole| flat?(hole) } unless holes.empty?
      edges = boundary(outer)
      holes.each { |hole| edges.concat(boundary(hole)) }
      edges.uniq! if edges.size > 3
      made = Sketchup::Face.new(@entities, outer, holes, edges)
      @elements << made
      made
    end

    # Ends the gathering; what follows is a new batch.
    def forget
      @elements = []
      @vertices = []
      @collapsed = 0
    end

    # Forgets nothing that exists, but undoes the links of what was made since the last batch.
    def unravel
      @elements.each { |element| element.headless_deleted = true }
      @vertices.each { |vertex| vertex.headless_deleted = true }
      @elements.each(&:headless_detach)
    end

    private

    def learn(edge)
      [edge.headless_start, edge.headless_end].each { |vertex| @places.fetch(vertex.headless_xyz) { vertex } }
      @edges[edge_key(edge.headless_start.headless_id, edge.headless_end.headless_id)] = edge
    end

    def edge_key(first, second)
      first < second ? (first << 31) | second : (second << 31) | first
    end

    def new_vertex(xyz)
      made = Sketchup::Vertex.new(@entities, xyz)
      @vertices << made
      made
    end

    def new_edge(from, to)
      made = Sketchup::Edge.new(@entities, from, to)
      @elements << made
      made
    end

    def boundary(corners)
      if corners.size == 3
        a, b, c = corners
        return [edge(a, b), edge(b, c), edge(c, a)]
      end
      corners.each_index.map { |index| edge(corners[index], corners[(index + 1) % corners.size]) }
    end

    def without_repetition(corners)
      before = corners.last
      return corners unless corners.any? do |corner|
        same = corner.equal?(before)
        before = corner
        same
      end

      kept = corners.chunk_while(&:equal?).map(&:first)
      kept.pop if kept.size > 1 && kept.first.equal?(kept.last)
      kept
    end

    # Fewer than three corners, or no area.
    def flat?(corners)
      return true if corners.size < 3

      x, y, z = corners.size == 3 ? triangle(*corners) : Coordinates.area_vector(corners.map(&:headless_xyz))
      (x * x) + (y * y) + (z * z) < 1e-24
    end

    # Twice the area vector; most faces of large meshes are triangles.
    def triangle(first, second, third)
      ax, ay, az = first.headless_xyz
      bx, by, bz = second.headless_xyz
      cx, cy, cz = third.headless_xyz
      bx -= ax
      by -= ay
      bz -= az
      cx -= ax
      cy -= ay
      cz -= az
      [(by * cz) - (bz * cy), (bz * cx) - (bx * cz), (bx * cy) - (by * cx)]
    end

    def drop
      @collapsed += 1
      nil
    end
  end
end
