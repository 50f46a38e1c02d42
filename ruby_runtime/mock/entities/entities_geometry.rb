# frozen_string_literal: true

module Headless
  # The methods of Sketchup::Entities that make edges and faces.
  module EntitiesGeometry
    # @param points [Array<Geom::Point3d>, Array<Sketchup::Edge>] corners or closed edges, also as arguments
    # @return [Sketchup::Face]
    # @raise [ArgumentError] for fewer than three points, equal ones, or points not in one plane
    def add_face(*points)
      points = FaceInput.corners(points)
      # A new face on the ground looks down in SketchUp.
      points = points.reverse if FaceInput.on_ground?(points) && FaceInput.upward?(points)
      face = nil
      headless_sew('Face') { |sewing| face = sewing.face(points.map { |xyz| sewing.vertex(xyz) }) }
      face
    end

    # @return [Sketchup::Edge, nil] nil for two points that are one
    def add_line(start, finish)
      edge = nil
      headless_sew('Line') do |sewing|
        edge = sewing.edge(*[start, finish].map { |point| sewing.vertex(Coordinates.of(point)) })
      end
      edge
    end

    # @param points [Array<Geom::Point3d>] one line through all
    # @return [Array<Sketchup::Edge>]
    def add_edges(*points)
      points = points.flatten(1) unless points.first.is_a?(Array) && points.first.first.is_a?(Numeric)
      edges = []
      headless_sew('Line') do |sewing|
        vertices = points.map { |point| sewing.vertex(Coordinates.of(point)) }
        edges = vertices.each_cons(2).filter_map { |from, to| sewing.edge(from, to) }
      end
      edges
    end

    # Many faces at once, without intersecting them.
    # @yieldparam builder [Sketchup::EntitiesBuilder]
    def build
      result = nil
      headless_sew('Build') do |sewing|
        builder = Sketchup::EntitiesBuilder.new(self, sewing)
        begin
          @model.headless_journal.building { result = yield builder }
        ensure
          builder.headless_close
        end
      end
      result
    end

    # Only for an empty collection. Points of equal place are always one here.
    # @param mesh [Geom::PolygonMesh]
    # @return [Boolean] false when the collection is not empty
    def fill_from_mesh(mesh, _weld_vertices = true, smooth_flags = MeshFilling::SOFT, front = nil, back = nil) # rubocop:disable Style/OptionalBooleanParameter, Metrics/ParameterLists
      return false unless headless_list.empty?

      MeshFilling.new(self, mesh, smooth_flags, front, back).add.positive?
    end

    # @return [Integer] number of faces made
    def add_faces_from_mesh(mesh, smooth_flags = Geom::PolygonMesh::NO_SMOOTH_OR_HIDE, front = nil,
                            back = nil)
      MeshFilling.new(self, mesh, smooth_flags, front, back).add
    end

    # Gathers what the block sews and puts it into the list as one change; nothing stays when it raises.
    # @param welded [Boolean] the collection is empty and no two points that come are the same
    # @yieldparam sewing [Headless::Sewing]
    def headless_sew(name = 'Build', welded: false)
      headless_refuse_while_walking
      @model.headless_journal.step(name) do
        sewing = welded ? Sewing.new(self, welded: true) : (@sewing ||= Sewing.new(self))
        headless_sewn_or_undone(sewing) { yield sewing }
        headless_keep_sewn(sewing)
        @sewing = nil if welded
      end
    end

    private

    # Whatever ends the block early, nothing half linked stays.
    def headless_sewn_or_undone(sewing)
      complete = false
      yield
      complete = true
    ensure
      unless complete
        sewing.unravel
        @sewing = nil
      end
    end

    def headless_keep_sewn(sewing)
      elements = sewing.elements
      vertices = sewing.vertices
      MeshLoading.count_collapsed(@model, sewing.collapsed)
      sewing.forget
      headless_add_sewn(elements, vertices) unless elements.empty?
    end

    # They are linked already, which saves the search for links that a redo needs.
    def headless_add_sewn(elements, vertices)
      linked = true
      @model.headless_journal.change(
        undo: -> { headless_take_back(elements, vertices) },
        redo: lambda do
          linked ? @list.concat(elements) : headless_append(elements, vertices)
          linked = false
        end,
        events: [[:element_added, self, elements]], touching: self
      )
    end
  end

  # Corners of a face in the forms that the host takes.
  module FaceInput
    module_function

    # @return [Array<Array(Float, Float, Float)>]
    # @raise [ArgumentError]
    def corners(given)
      given = given.first if given.size == 1
      raise ArgumentError, 'wrong type - expected array of points' unless given.is_a?(Array)

      points = given.first.is_a?(Sketchup::Edge) ? chain(given) : given.map { |point| Coordinates.of(point) }
      raise ArgumentError, 'Must have at least three points' if points.size < 3

      refuse_repetition(points)
      refuse_bent(points)
      points
    end

    def refuse_repetition(points)
      places = PointPlaces.new
      points.each_with_index do |xyz, index|
        raise ArgumentError, 'Duplicate points in array' unless places.fetch(xyz) { index }.equal?(index)
      end
    end

    # @raise [ArgumentError] unless all points lie in one plane
    def refuse_bent(points)
      normal = Coordinates.unit(Coordinates.area_vector(points))
      raise ArgumentError, 'Points are not planar' unless normal

      return if points.size == 3

      centre = points.transpose.map { |values| values.sum / values.size }
      away = points.map { |xyz| Coordinates.dot(normal, Coordinates.subtract(xyz, centre)).abs }
      raise ArgumentError, 'Points are not planar' if away.max > Units::TOLERANCE
    end

    def on_ground?(points)
      points.all? { |xyz| xyz[2].abs < Units::TOLERANCE }
    end

    def upward?(points)
      Coordinates.area_vector(points)[2].positive?
    end

    # Corners along edges that follow one another.
    def chain(edges)
      edges = edges.dup
      corners = edges.shift.vertices
      until edges.empty?
        following = edges.find { |edge| edge.used_by?(corners.last) }
        raise ArgumentError, 'edges do not form a closed loop' unless following

        corners << following.other_vertex(corners.last)
        edges.delete(following)
      end
      raise ArgumentError, 'edges do not form a closed loop' unless corners.pop.equal?(corners.first)

      corners.map(&:headless_xyz)
    end
  end
end
