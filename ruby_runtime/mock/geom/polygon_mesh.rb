# frozen_string_literal: true

module Geom
  # Points and polygons by index, counted from 1. A negative index hides the edge that starts there.
  class PolygonMesh
    NO_SMOOTH_OR_HIDE = 0
    HIDE_BASED_ON_INDEX = 1
    SOFTEN_BASED_ON_INDEX = 2
    AUTO_SOFTEN = 4
    SMOOTH_SOFT_EDGES = 8

    MESH_POINTS = 0
    MESH_UVQ_FRONT = 1
    MESH_UVQ_BACK = 2
    MESH_NORMALS = 4

    # Both numbers are only hints for how much room to make.
    def initialize(_number_of_points = 0, _number_of_polygons = 0)
      @points = []
      @polygons = []
      @normals = nil
      @headless_flags = MESH_POINTS
      @coordinates = { true => {}, false => {} }
      @places = Headless::PointPlaces.new
    end

    # @param point [Geom::Point3d]
    # @return [Integer] index from 1; that of an equal point when there is one
    def add_point(point)
      raise ArgumentError, 'Geom::Point3d expected' unless point.is_a?(Point3d)

      xyz = Headless::Coordinates.of(point)
      index = @places.fetch(xyz) { @points.size }
      @points << xyz if index == @points.size
      index + 1
    end

    # @param corners [Array<Integer>, Array<Geom::Point3d>] at least three
    # @return [Integer] index from 1, or 0 when no polygon was made
    def add_polygon(*corners)
      corners = corners.first if corners.size == 1 && corners.first.is_a?(Array)
      indices = corners.map { |corner| corner.is_a?(Integer) ? corner : add_point(corner) }
      return 0 if indices.size < 3 || indices.map(&:abs).uniq.size < 3
      return 0 unless indices.all? { |index| index.abs.between?(1, @points.size) }

      @polygons << indices
      @polygons.size
    end

    # @return [Geom::Point3d, nil]
    def point_at(index)
      xyz = at(@points, index)
      xyz && Headless::Coordinates.point(xyz)
    end

    # @return [Geom::Vector3d, nil] nil unless the mesh was asked for with normals
    def normal_at(index)
      xyz = @normals && at(@normals, index)
      xyz && Headless::Coordinates.vector(xyz)
    end

    # @return [Array<Integer>, nil]
    def polygon_at(index)
      at(@polygons, index)&.dup
    end

    # @return [Array<Geom::Point3d>, nil]
    def polygon_points_at(index)
      at(@polygons, index)&.map { |corner| point_at(corner.abs) }
    end

    def points
      @points.map { |xyz| Headless::Coordinates.point(xyz) }
    end

    def polygons
      @polygons.map(&:dup)
    end

    def count_points
      @points.size
    end

    def count_polygons
      @polygons.size
    end

    # Moves a point.
    # @raise [IndexError]
    def set_point(index, point)
      raise IndexError, "No point #{index}" unless index.between?(1, @points.size)

      @points[index - 1] = Headless::Coordinates.of(point)
      nil
    end

    # @param front [Boolean] which side's coordinates are set
    def set_uv(index, point, front)
      @coordinates[front ? true : false][index] = Headless::Coordinates.of(point)
      nil
    end

    # @return [Geom::Point3d, nil]
    def uv_at(index, front)
      xyz = @coordinates[front ? true : false][index]
      xyz && Headless::Coordinates.point(xyz)
    end

    def uvs(front)
      (1..@points.size).map { |index| uv_at(index, front) || Point3d.new }
    end

    def transform!(transformation)
      matrix = Headless::Coordinates.matrix(transformation)
      @points = @points.map { |xyz| Headless::Coordinates.transform(matrix, xyz) }
      @normals = @normals&.map do |xyz|
        xyz && Headless::Coordinates.unit(Headless::Coordinates.turn(matrix, xyz))
      end
      self
    end

    # Normals that a face hands over: one triple or nil per point.
    # @param normals [Array<Array(Float, Float, Float), nil>, nil]
    def headless_normals=(normals)
      @normals = normals
    end

    # Which of the MESH_ flags the mesh was asked for with.
    attr_accessor :headless_flags

    private

    def at(list, index)
      index = index.abs
      index.zero? ? nil : list[index - 1]
    end

    def initialize_copy(original)
      super
      @points = @points.dup
      @polygons = @polygons.map(&:dup)
    end
  end
end
