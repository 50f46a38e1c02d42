# frozen_string_literal: true

module Headless
  # What a collection of entities draws by itself, in its own coordinates: triangles with the face
  # they belong to, and lines with their edge. Kept until the geometry changes.
  class DrawingMesh
    # @return [Array<Array(Float, Float, Float)>] inches
    attr_reader :positions
    # @return [Hash{Sketchup::Face => Array<Array(Integer, Integer, Integer)>}] counter clockwise
    attr_reader :triangles
    # @return [Hash{Sketchup::Edge => Array(Integer, Integer)}] soft and hidden ones too
    attr_reader :lines

    # @param entities [Sketchup::Entities]
    # @return [DrawingMesh]
    def self.of(entities)
      entities.headless_remember(:drawing_mesh) { new(entities.headless_list) }
    end

    def initialize(elements)
      @positions = []
      @triangles = {}.compare_by_identity
      @lines = {}.compare_by_identity
      @corners = {}.compare_by_identity
      @places = {}.compare_by_identity
      elements.each do |element|
        case element
        when Sketchup::Face then add_face(element)
        when Sketchup::Edge then add_edge(element)
        end
      end
      @places = nil
    end

    # @return [Array<Integer>, nil] a face's corners in order; nil when it has holes
    def corners(face)
      @corners[face]
    end

    private

    def add_face(face)
      outer = face.headless_outer
      holes = face.headless_holes
      places = outer.map { |vertex| place(vertex) }
      @corners[face] = places.dup if holes.empty?
      if outer.size == 3 && holes.empty?
        @triangles[face] = [places]
        return
      end

      holes.each { |hole| hole.each { |vertex| places << place(vertex) } }
      cut = Triangulation.triangles(outer.map(&:headless_xyz), holes.map { |hole| hole.map(&:headless_xyz) })
      @triangles[face] = cut.map { |corners| places.values_at(*corners) }
    end

    def add_edge(edge)
      @lines[edge] = [place(edge.headless_start), place(edge.headless_end)]
    end

    def place(vertex)
      @places[vertex] ||= (@positions << vertex.headless_xyz).size - 1
    end
  end
end
