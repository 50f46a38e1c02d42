# frozen_string_literal: true

module Sketchup
  # A straight line between two vertices, bounding any number of faces.
  class Edge < Drawingelement
    def initialize(owner, from, to)
      super(owner)
      @start = from
      @end = to
      @faces = []
      from.headless_edges << self
      to.headless_edges << self
    end

    attr_reader :start, :end

    def vertices
      [@start, @end]
    end

    def other_vertex(vertex)
      vertex.equal?(@start) ? @end : @start
    end

    def faces
      @faces.dup
    end

    # @param transformation [Geom::Transformation, nil] that of the place the length is asked for
    # @return [Length]
    def length(transformation = nil)
      ends = [@start, @end].map(&:position)
      ends = ends.map { |point| point.transform(transformation) } if transformation
      ends[0].distance(ends[1])
    end

    # @return [Array] point and direction
    def line
      [@start.position, @start.position.vector_to(@end.position)]
    end

    def soft?
      @soft ? true : false
    end

    def soft=(value)
      assign(:@soft, value ? true : nil)
    end

    def smooth?
      @smooth ? true : false
    end

    def smooth=(value)
      assign(:@smooth, value ? true : nil)
    end

    # @return [Boolean] whether the face runs through the edge from its end to its start
    def reversed_in?(face)
      corners = face.loops.map(&:vertices).find do |vertices|
        vertices.include?(@start) && vertices.include?(@end)
      end
      raise ArgumentError, 'the face does not use the edge' unless corners

      corners[(corners.index(@start) + 1) % corners.size] != @end
    end

    # @return [nil] edges belong to no curves here
    def curve
      nil
    end

    # @return [Array<Sketchup::Entity>] every edge and face that can be reached
    def all_connected
      Headless::Connection.from(self)
    end

    def common_face(edge)
      @faces.find { |face| edge.headless_faces.include?(face) }
    end

    def used_by?(entity)
      entity.is_a?(Vertex) ? vertices.include?(entity) : @faces.include?(entity)
    end

    # The array itself.
    def headless_faces
      @faces
    end

    def headless_start
      @start
    end

    def headless_end
      @end
    end

    # Sets soft, smooth and hidden of an edge that was just made.
    def headless_flag(soft, smooth, hidden)
      @soft = true if soft
      @smooth = true if smooth
      @hidden = true if hidden
    end

    # Whether no line is drawn for it.
    def headless_unseen?
      @soft || @hidden
    end

    def headless_properties
      super.merge(:@soft => @soft, :@smooth => @smooth)
    end

    def headless_points
      [@start.headless_xyz, @end.headless_xyz]
    end

    def headless_attach
      [@start, @end].each do |vertex|
        vertex.headless_edges << self unless vertex.headless_edges.include?(self)
      end
    end

    def headless_detach
      [@start, @end].each { |vertex| vertex.headless_edges.delete(self) unless vertex.deleted? }
    end
  end
end
