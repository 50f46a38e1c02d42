# frozen_string_literal: true

module Headless
  module Importers
    # Turns a surface into faces, edges and vertices: welds points, drops what collapses, joins
    # coplanar polygons, softens edges across which the normals run on.
    class SurfaceBuilding
      SOFT_AND_SMOOTH = 3
      MIXED = [].freeze
      private_constant :MIXED
      # Largest distance between normals that count as one; files round theirs, so lengths differ a little.
      SAME_NORMAL = 2e-3

      # @param surface [Surface] in inches
      # @param merge_coplanar [Boolean]
      # @param tolerance [Float] inches; points closer than this become one
      def initialize(surface, merge_coplanar:, tolerance: Units::TOLERANCE)
        @surface = surface
        @merge_coplanar = merge_coplanar
        @tolerance = tolerance
      end

      # @param entities [Sketchup::Entities]
      # @param materials [Hash] the surface's keys to Sketchup::Material
      # @return [Integer] number of faces made
      def build(entities, materials)
        weld
        adjacency = EdgeAdjacency.new(@polygons, @positions.size)
        adjacency = EdgeAdjacency.new(@polygons, @positions.size) if adjacency.crowded? && drop_doubles
        normals = PolygonNormals.of(@positions, @polygons)
        merge = CoplanarMerge.new(@positions, @polygons, @marks, adjacency: adjacency, normals: normals)
        faces = faces_of(merge, normals)
        flags = @surface.normals.empty? ? {} : edge_flags(adjacency, merge)
        rows = faces.map { |outer, holes, source| [outer, holes, materials[@marks[source]], normals[source]] }
        MeshLoading.count_collapsed(entities.model, @collapsed) if @collapsed.positive?
        MeshLoading.add(entities, @positions, rows, flags)
      end

      private

      def weld
        @collapsed = 0
        @positions = @surface.positions
        @map = Welding.first_equals(@positions, @tolerance)
        @polygons = mapped(@surface.polygons)
        @corner_normals = @surface.corner_normals
        @marks = @surface.materials
        @holes = @surface.holes.transform_values { |loops| mapped(loops).map(&:uniq) }
        drop_collapsed if @polygons.any? { |corners| repeats?(corners) }
      end

      def mapped(lists)
        map = @map
        map ? lists.map { |corners| corners.map { |corner| map[corner] } } : lists
      end

      def repeats?(corners)
        before = corners[-1]
        corners.size < 3 || corners.any? do |corner|
          same = corner == before
          before = corner
          same
        end
      end

      # Polygons lose the corners that became equal, and go when fewer than three are left.
      def drop_collapsed
        rows = @polygons.each_index.map do |index|
          corners = @polygons[index]
          normals = @corner_normals[index]
          corners, normals = distinct(corners, normals) if repeats?(corners)
          [corners, normals, @marks[index], @holes[index]]
        end
        kept = rows.reject { |corners,| corners.size < 3 }
        @collapsed += rows.size - kept.size
        keep(kept)
      end

      # Some files hold each face once per side; one of them is enough, as in the host.
      # @return [Boolean] whether there were any
      def drop_doubles
        rows = @polygons.each_index.map { |at| [@polygons[at], @corner_normals[at], @marks[at], @holes[at]] }
        kept = rows.uniq { |corners,| corners.sort }
        keep(kept)
        kept.size < rows.size
      end

      # @param kept [Array<Array>] rows of corners, normals, mark and holes
      def keep(kept)
        @polygons, @corner_normals, @marks, = kept.empty? ? [[], [], []] : kept.transpose
        @holes = kept.each_index.to_h { |index| [index, kept[index][3]] }.compact
      end

      # Takes out corners that became equal to the one before them.
      def distinct(corners, normals)
        kept = corners.each_index.reject { |place| corners[place] == corners[place - 1] }
        kept = [] if corners.values_at(*kept).uniq.size < 3
        [corners.values_at(*kept), normals&.values_at(*kept)]
      end

      def faces_of(merge, normals)
        faces = if @merge_coplanar && @holes.empty?
                  merge.faces
                else
                  @polygons.each_index.map { |index| [@polygons[index], @holes[index] || [], index] }
                end
        kept = faces.select { |_, _, source| normals[source] }
        @collapsed += faces.size - kept.size
        kept
      end

      # Soft where the faces share their normals at both ends and do not lie in one plane.
      def edge_flags(adjacency, merge)
        flags = {}
        regions = merge.regions
        size = @positions.size
        smooth = smooth_positions
        adjacency.each_pair do |one, other, key|
          next if regions[one] == regions[other]

          low, high = key.divmod(size)
          next unless smooth[low] || shared_normal?(one, other, low)

          flags[key] = SOFT_AND_SMOOTH if smooth[high] || shared_normal?(one, other, high)
        end
        flags
      end

      # True where all polygons have one and the same normal; most positions of curved bodies are so.
      def smooth_positions
        normal_at = Array.new(@positions.size)
        @polygons.each_with_index do |corners, polygon|
          normals = @corner_normals[polygon] || MIXED
          place = 0
          while (corner = corners[place])
            normal = normals[place]
            known = normal_at[corner]
            normal_at[corner] = known.nil? || known == normal ? normal || false : false
            place += 1
          end
        end
        normal_at
      end

      def shared_normal?(one, other, corner)
        first = @corner_normals[one]
        second = @corner_normals[other]
        return false if first.nil? || second.nil?

        a = first[@polygons[one].index(corner)]
        b = second[@polygons[other].index(corner)]
        a == b || Coordinates.same?(@surface.normals[a], @surface.normals[b], SAME_NORMAL)
      end
    end
  end
end
