# frozen_string_literal: true

module Headless
  # Triangles of a face, as the host hands them out.
  module FaceMesh
    module_function

    # @return [Geom::PolygonMesh]
    def of(face, flags)
      outer = face.headless_outer
      holes = face.headless_holes
      corners = outer + holes.flatten
      mesh = Geom::PolygonMesh.new(corners.size, corners.size)
      places = corners.map { |vertex| mesh.add_point(Coordinates.point(vertex.headless_xyz)) }
      Triangulation.triangles(outer.map(&:headless_xyz), holes.map { |hole| hole.map(&:headless_xyz) })
                   .each { |triangle| mesh.add_polygon(signed(triangle, corners, places)) }
      finish(mesh, face, flags)
    end

    # A corner's index is negative when the edge that begins there is not to be seen.
    def signed(triangle, corners, places)
      triangle.each_with_index.map do |corner, position|
        following = triangle[(position + 1) % 3]
        edge = corners[corner].headless_edges.find { |found| joins?(found, corners[following]) }
        edge.nil? || edge.headless_unseen? ? -places[corner] : places[corner]
      end
    end

    def joins?(edge, vertex)
      edge.headless_start.equal?(vertex) || edge.headless_end.equal?(vertex)
    end

    def finish(mesh, face, flags)
      mesh.headless_flags = flags
      mesh.headless_normals = normals(mesh, face) if (flags & Geom::PolygonMesh::MESH_NORMALS).positive?
      mesh
    end

    # The smooth normal at corners whose edges are smooth, else the face's own.
    def normals(mesh, face)
      own = face.headless_normal
      found = Array.new(mesh.count_points, own)
      face.headless_loops.flatten.each do |vertex|
        sum = smooth_normal(vertex, face, own)
        found[mesh.add_point(Coordinates.point(vertex.headless_xyz)) - 1] = sum if sum
      end
      found
    end

    def smooth_normal(vertex, face, own)
      smooth = vertex.headless_edges.select { |edge| edge.smooth? && edge.headless_faces.include?(face) }
      return nil if smooth.empty?

      faces = smooth.flat_map(&:headless_faces).uniq - [face]
      sum = faces.map(&:headless_normal).inject(own) { |total, normal| total.zip(normal).map(&:sum) }
      Coordinates.unit(sum)
    end
  end

  # Where a point lies with respect to a face.
  module PointInFace
    module_function

    def classify(face, xyz)
      plane = face.plane
      return Sketchup::Face::PointNotOnPlane if Planes.signed_distance(plane, xyz).abs > Units::TOLERANCE
      return Sketchup::Face::PointOnVertex if on_vertex?(face, xyz)
      return Sketchup::Face::PointOnEdge if face.headless_edges.any? { |edge| on_edge?(edge, xyz) }

      axes = Triangulation.plane_axes(face.headless_points)
      inside = face.headless_loops.count { |loop| inside?(loop.map(&:headless_xyz), xyz, axes) }
      inside == 1 ? Sketchup::Face::PointInside : Sketchup::Face::PointOutside
    end

    def on_vertex?(face, xyz)
      face.headless_loops.flatten.any? { |vertex| Coordinates.same?(vertex.headless_xyz, xyz) }
    end

    def on_edge?(edge, xyz)
      from, to = edge.headless_points
      along = Coordinates.subtract(to, from)
      share = Coordinates.dot(Coordinates.subtract(xyz, from), along) / Coordinates.dot(along, along)
      share.between?(0, 1) && Coordinates.same?(from.zip(along).map { |a, d| a + (d * share) }, xyz)
    end

    # Counts how often a ray crosses the loop.
    def inside?(loop, xyz, axes)
      u, v = axes.map { |axis| xyz[axis] }
      flat = loop.map { |point| axes.map { |axis| point[axis] } }
      flat.each_index.count do |index|
        (au, av) = flat[index - 1]
        (bu, bv) = flat[index]
        (av > v) != (bv > v) && u < au + ((v - av) / (bv - av) * (bu - au))
      end.odd?
    end

    def convex?(points)
      axes = Triangulation.plane_axes(points)
      Triangulation.convex?(points.map { |point| Triangulation.flat(point, axes) })
    end
  end

  # What hangs together over edges.
  module Connection
    module_function

    # @return [Array<Sketchup::Entity>]
    def from(element)
      seen = { element => true }.compare_by_identity
      waiting = [element]
      until waiting.empty?
        current = waiting.pop
        neighbours(current).each do |found|
          next if seen[found]

          seen[found] = true
          waiting << found
        end
      end
      seen.keys
    end

    def neighbours(element)
      if element.is_a?(Sketchup::Face)
        return element.headless_edges + element.headless_edges.flat_map(&:headless_faces)
      end

      element.headless_faces + [element.headless_start, element.headless_end].flat_map(&:headless_edges)
    end
  end
end
