# frozen_string_literal: true

module Sketchup
  # A flat polygon with holes; the front is where its outer corners run counter clockwise.
  class Face < Drawingelement
    def initialize(owner, outer, holes, edges)
      super(owner)
      @outer = outer
      @holes = holes
      @edges = edges
      edges.each { |edge| edge.headless_faces << self }
    end

    def vertices
      @holes.empty? ? @outer.dup : @outer + @holes.flatten
    end

    def edges
      @edges.dup
    end

    # @return [Array<Sketchup::Loop>] the outer one first
    def loops
      @loops ||= [@outer, *@holes].each_index.map { |place| Loop.new(self, place) }
      @loops.dup
    end

    def outer_loop
      loops.first
    end

    # @return [Geom::Vector3d]
    def normal
      Headless::Coordinates.vector(headless_normal)
    end

    # @param transformation [Geom::Transformation, nil] that of the place the area is asked for
    # @return [Float] square inches
    def area(transformation = nil)
      matrix = transformation && Headless::Coordinates.matrix(transformation)
      sizes = [@outer, *@holes].map do |corners|
        points = corners.map(&:headless_xyz)
        points = points.map { |xyz| Headless::Coordinates.transform(matrix, xyz) } if matrix
        Headless::Coordinates.norm(Headless::Coordinates.area_vector(points)) / 2
      end
      sizes[0] - sizes[1..].sum
    end

    # @return [Array<Float>] four coefficients, the normal first
    def plane
      normal = headless_normal
      [*normal, -Headless::Coordinates.dot(normal, @outer.first.headless_xyz)]
    end

    # @param flags [Integer] sum of the MESH_ constants of Geom::PolygonMesh
    # @return [Geom::PolygonMesh] triangles
    def mesh(flags = 0)
      Headless::FaceMesh.of(self, flags)
    end

    # Turns front and back round, with their materials.
    # @return [Sketchup::Face]
    def reverse!
      journal = headless_journal
      journal.step('Reverse Faces') do
        journal.assign(self, :@outer, @outer.reverse, events: headless_change_events, touching: @owner)
        journal.assign(self, :@holes, @holes.map(&:reverse))
        front = @material
        journal.assign(self, :@material, @back_material)
        journal.assign(self, :@back_material, front)
      end
      self
    end

    attr_reader :back_material

    # Moves the face along its normal; walls grow or arise.
    # @param distance [Numeric] inches
    # @param copy [Boolean] leave the face and begin new walls
    # @return [nil]
    def pushpull(distance, copy = false) # rubocop:disable Style/OptionalBooleanParameter -- the host's
      Headless::PushPull.new(self, distance.to_f).run(copy)
      nil
    end

    # @param material [Sketchup::Material, String, Sketchup::Color, nil]
    def back_material=(material)
      headless_journal.step('Paint') { assign(:@back_material, @model.headless_material(material)) }
    end

    # @return [Array<Sketchup::Face>] every face that can be reached over edges, and every such edge
    def all_connected
      Headless::Connection.from(self)
    end

    # @param point [Geom::Point3d] in the plane or not
    # @return [Integer] one of the Point constants
    def classify_point(point)
      Headless::PointInFace.classify(self, Headless::Coordinates.of(point))
    end

    PointUnknown = 0 # rubocop:disable Naming/ConstantName -- these seven are the host's names
    PointInside = 1 # rubocop:disable Naming/ConstantName
    PointOnVertex = 2 # rubocop:disable Naming/ConstantName
    PointOnEdge = 4 # rubocop:disable Naming/ConstantName
    PointOnFace = 8 # rubocop:disable Naming/ConstantName
    PointOutside = 16 # rubocop:disable Naming/ConstantName
    PointNotOnPlane = 32 # rubocop:disable Naming/ConstantName

    def headless_deleted=(value)
      super
      @loops&.each { |loop| loop.headless_deleted = value }
    end

    def headless_loops
      [@outer, *@holes]
    end

    def headless_outer
      @outer
    end

    def headless_holes
      @holes
    end

    def headless_edges
      @edges
    end

    # @return [Array(Float, Float, Float)] unit normal; zero for a face without area
    def headless_normal
      area = Headless::Coordinates.area_vector(@outer.map(&:headless_xyz))
      Headless::Coordinates.unit(area) || [0.0, 0.0, 0.0]
    end

    # Sets the material of a face that was just made.
    def headless_paint(material)
      @material = material
    end

    def headless_properties
      super.merge(:@back_material => @back_material)
    end

    def headless_points
      @outer.map(&:headless_xyz)
    end

    def headless_attach
      @edges.each { |edge| edge.headless_faces << self unless edge.headless_faces.include?(self) }
    end

    def headless_detach
      @edges.each { |edge| edge.headless_faces.delete(self) unless edge.deleted? }
    end
  end

  # One closed run of a face's edges.
  class Loop < Entity
    def initialize(face, place)
      super(face.headless_model)
      @face = face
      @place = place
    end

    attr_reader :face

    def outer?
      @place.zero?
    end

    def vertices
      @face.headless_loops[@place].dup
    end

    # @return [Array<Sketchup::Edge>] in order
    def edges
      corners = vertices
      corners.each_index.map { |index| corners[index].common_edge(corners[(index + 1) % corners.size]) }
    end

    def convex?
      Headless::PointInFace.convex?(vertices.map(&:headless_xyz))
    end
  end
end
