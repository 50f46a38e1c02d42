# frozen_string_literal: true

# The host's geometry classes, and the raw numbers that the mock's own code works on.

require 'units'

# The host's namespace of points, vectors and matrices.
module Geom
end

require 'geom/coordinates'
require 'geom/point_arguments'
require 'geom/axes'
require 'geom/transformation_arguments'
require 'geom/matrices'
require 'geom/point3d'
require 'geom/vector3d'
require 'geom/transformation'
require 'geom/bounding_box'
require 'geom/point_places'
require 'geom/welding'
require 'geom/polygon_mesh'
require 'geom/triangulation'
require 'geom/coplanar_merge'

ORIGIN = Geom::Point3d.new(0, 0, 0)
X_AXIS = Geom::Vector3d.new(1, 0, 0)
Y_AXIS = Geom::Vector3d.new(0, 1, 0)
Z_AXIS = Geom::Vector3d.new(0, 0, 1)
IDENTITY = Geom::Transformation.new
