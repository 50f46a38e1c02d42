# frozen_string_literal: true

module Headless
  # Joins neighbouring polygons that lie in one plane into faces with holes. A polygon without a
  # normal, a sliver, joins any neighbour whose plane it lies in.
  class CoplanarMerge
    # Normals further apart than this many radians are two planes, however small the polygons.
    SAME_DIRECTION = Math.cos(1e-3)

    # @param positions [Array<Array(Float, Float, Float)>] inches, equal points already one
    # @param polygons [Array<Array<Integer>>] corners, counter clockwise seen from outside
    # @param marks [Array, nil] one per polygon; only polygons with equal marks are joined
    # @return [Array<Array>] per face [outer corners, holes, index of one polygon that it was made of]
    def self.faces(positions, polygons, marks = nil)
      new(positions, polygons, marks).faces
    end

    def initialize(positions, polygons, marks = nil, adjacency: nil, normals: nil)
      @positions = positions
      @polygons = polygons
      @marks = marks
      @adjacency = adjacency || EdgeAdjacency.new(polygons, positions.size)
      @normals = normals || PolygonNormals.of(positions, polygons)
    end

    # Which region each polygon belongs to; polygons that join nothing are regions of their own.
    # @return [Array<Integer>]
    def regions
      @regions ||= grow
    end

    # @see CoplanarMerge.faces
    def faces
      members = {}
      regions.each_with_index { |region, index| (members[region] ||= []) << index }
      members.flat_map do |region, indices|
        case indices.size
        when 1 then [[@polygons[region], [], region]]
        when 2 then pair(region, *indices)
        else outlines(region, indices)
        end
      end
    end

    private

    def grow
      flat = flat_neighbours
      regions = Array.new(@polygons.size)
      @polygons.each_index do |seed|
        next if regions[seed] || @normals[seed].nil?

        regions[seed] = seed
        fill(seed, flat, regions) if flat[seed]
      end
      regions.each_with_index.map { |region, index| region || index }
    end

    # Neighbours across edges of exactly two polygons that look the same way.
    def flat_neighbours
      flat = {}
      normals = @normals
      marks = @marks
      @adjacency.each_pair do |first, second|
        a = normals[first]
        b = normals[second]
        next if a && b && (a[0] * b[0]) + (a[1] * b[1]) + (a[2] * b[2]) < SAME_DIRECTION
        next if marks && marks[first] != marks[second]

        (flat[first] ||= []) << second
        (flat[second] ||= []) << first
      end
      flat
    end

    # The seed's plane rules, so that a slow curve does not become one face.
    def fill(seed, flat, regions)
      normal = @normals[seed]
      offset = Coordinates.dot(normal, @positions[@polygons[seed][0]])
      waiting = [seed]
      until waiting.empty?
        flat[waiting.pop].each do |neighbour|
          next if regions[neighbour] || !on_plane?(neighbour, normal, offset)

          regions[neighbour] = seed
          waiting << neighbour
        end
      end
    end

    def on_plane?(polygon, normal, offset)
      own = @normals[polygon]
      x, y, z = normal
      return false if own && (own[0] * x) + (own[1] * y) + (own[2] * z) < SAME_DIRECTION

      @polygons[polygon].all? do |corner|
        point = @positions[corner]
        ((point[0] * x) + (point[1] * y) + (point[2] * z) - offset).abs < Units::TOLERANCE
      end
    end

    # Two triangles over one edge make a quadrilateral; curved bodies consist of such pairs.
    def pair(region, one, other)
      a, b, c, fourth = @polygons[one]
      second = @polygons[other]
      apex = second.find { |corner| corner != a && corner != b && corner != c }
      return outlines(region, [one, other]) if fourth || apex.nil? || second.size != 3

      a, b, c = c, a, b until second.include?(b) && second.include?(c)
      [[[a, b, apex, c], [], region]]
    end

    def outlines(region, indices)
      axes = projection(@normals[region])
      loops = RegionOutline.new(@positions, axes).loops(boundary(indices))
      outer, holes = loops.partition { |loop_corners| area(loop_corners, axes).positive? }
      return indices.map { |index| [@polygons[index], [], index] } if outer.empty?
      return [[outer.first, holes, region]] if outer.size == 1

      share_out(outer, holes, axes).map { |corners, inside| [corners, inside, region] }
    end

    # Directed edges that no other polygon of the region runs along the other way.
    def boundary(indices)
      size = @positions.size
      edges = {}
      indices.each do |index|
        corners = @polygons[index]
        before = corners[-1]
        corners.each do |corner|
          edges.delete((corner * size) + before) || (edges[(before * size) + corner] = true)
          before = corner
        end
      end
      edges.each_key.map { |key| key.divmod(size) }
    end

    def projection(normal)
      sizes = normal.map(&:abs)
      case sizes.max
      when sizes[2] then normal[2].negative? ? [1, 0] : [0, 1]
      when sizes[0] then normal[0].negative? ? [2, 1] : [1, 2]
      else normal[1].negative? ? [0, 2] : [2, 0]
      end
    end

    def area(corners, axes)
      u, v = axes
      before = @positions[corners[-1]]
      corners.sum do |corner|
        point = @positions[corner]
        piece = (before[u] * point[v]) - (point[u] * before[v])
        before = point
        piece
      end
    end

    # Parts that touch in single points are faces of their own; each hole goes to the one around it.
    def share_out(outers, holes, axes)
      faces = outers.map { |corners| [corners, []] }
      holes.each do |hole|
        around = faces.select { |corners, _| inside?(hole, corners, axes) }
        (around.min_by { |corners, _| area(corners, axes) } || faces.first)[1] << hole
      end
      faces
    end

    def inside?(hole, corners, axes)
      corner = hole.find { |index| !corners.include?(index) } || hole.first
      x, y = Triangulation.flat(@positions[corner], axes)
      points = corners.map { |index| Triangulation.flat(@positions[index], axes) }
      points.each_index.count do |index|
        a = points[index - 1]
        b = points[index]
        (a[1] > y) != (b[1] > y) && x < a[0] + ((y - a[1]) * (b[0] - a[0]) / (b[1] - a[1]))
      end.odd?
    end
  end
end

require 'geom/edge_adjacency'
require 'geom/polygon_normals'
require 'geom/region_outline'
