# frozen_string_literal: true

module Headless
  # Faces from a PolygonMesh, with its rules for soft and hidden edges.
  class MeshFilling
    # Edges flatter than this become soft by themselves, in degrees.
    SOFT_ANGLE = 20.0
    # What the host does unless told otherwise.
    SOFT = Geom::PolygonMesh::AUTO_SOFTEN | Geom::PolygonMesh::SMOOTH_SOFT_EDGES

    def initialize(entities, mesh, flags, front, back)
      raise ArgumentError, 'a PolygonMesh is needed' unless mesh.is_a?(Geom::PolygonMesh)

      @entities = entities
      @polygons = mesh.polygons
      @positions = mesh.points.map { |point| Coordinates.of(point) }
      @flags = flags
      model = entities.model
      @front = model.headless_material(front)
      @back = model.headless_material(back)
    end

    # @return [Integer] number of faces made
    def add
      faces = []
      @entities.headless_sew do |sewing|
        vertices = @positions.map { |xyz| sewing.vertex(xyz) }
        faces = @polygons.filter_map do |polygon|
          corners = polygon.map { |index| vertices[index.abs - 1] }
          sewing.face(corners)
        end
        faces.each { |face| dress(face) }
        flag_by_index(vertices)
        soften(faces.flat_map(&:headless_edges).uniq) if flag?(Geom::PolygonMesh::AUTO_SOFTEN)
      end
      faces.size
    end

    private

    def flag?(flag)
      @flags.anybits?(flag)
    end

    def dress(face)
      face.headless_paint(@front) if @front
      face.back_material = @back if @back
    end

    def flag_by_index(vertices)
      soft = flag?(Geom::PolygonMesh::SOFTEN_BASED_ON_INDEX)
      hidden = flag?(Geom::PolygonMesh::HIDE_BASED_ON_INDEX)
      return unless soft || hidden

      @polygons.each do |polygon|
        polygon.each_with_index do |index, place|
          next unless index.negative?

          following = vertices[polygon[(place + 1) % polygon.size].abs - 1]
          edge = vertices[index.abs - 1].headless_edges.find { |found| FaceMesh.joins?(found, following) }
          edge&.headless_flag(soft, soft && flag?(Geom::PolygonMesh::SMOOTH_SOFT_EDGES), hidden)
        end
      end
    end

    def soften(edges)
      limit = Math.cos(SOFT_ANGLE * Math::PI / 180)
      edges.each do |edge|
        first, second = edge.headless_faces
        next unless second && Coordinates.dot(first.headless_normal, second.headless_normal) > limit

        edge.headless_flag(true, flag?(Geom::PolygonMesh::SMOOTH_SOFT_EDGES), false)
      end
    end
  end
end
