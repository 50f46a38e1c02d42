# frozen_string_literal: true

module Headless
  # Unit normals of polygons by index.
  module PolygonNormals
    # Triangles flatter than this many inches are slivers: their direction is noise.
    SLIVER = 1e-4

    module_function

    # @param positions [Array<Array(Float, Float, Float)>] inches
    # @param polygons [Array<Array<Integer>>]
    # @return [Array<Array(Float, Float, Float), nil>] nil for slivers and for what has no area
    def of(positions, polygons)
      polygons.map do |corners|
        if corners.size == 3
          triangle(positions[corners[0]], positions[corners[1]], positions[corners[2]])
        else
          Coordinates.unit(Coordinates.area_vector(positions.values_at(*corners)))
        end
      end
    end

    # In one piece without intermediate vectors: it runs for every triangle of an import.
    def triangle(a, b, c)
      ax, ay, az = a
      ux = b[0] - ax
      uy = b[1] - ay
      uz = b[2] - az
      vx = c[0] - ax
      vy = c[1] - ay
      vz = c[2] - az
      x = (uy * vz) - (uz * vy)
      y = (uz * vx) - (ux * vz)
      z = (ux * vy) - (uy * vx)
      square = (x * x) + (y * y) + (z * z)
      # The longest side is at most the sum of two; that is near enough for a bound.
      sides = (ux * ux) + (uy * uy) + (uz * uz) + (vx * vx) + (vy * vy) + (vz * vz)
      return nil if square <= sides * (SLIVER * SLIVER)

      length = Math.sqrt(square)
      [x / length, y / length, z / length]
    end
  end
end
