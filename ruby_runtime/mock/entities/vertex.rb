# frozen_string_literal: true

module Sketchup
  # End of edges.
  class Vertex < Entity
    def initialize(owner, xyz)
      super(owner.headless_model)
      @owner = owner
      @xyz = xyz
      @edges = []
    end

    def position
      Headless::Coordinates.point(@xyz)
    end

    def parent
      @owner.parent
    end

    def edges
      @edges.dup
    end

    def faces
      @edges.flat_map(&:headless_faces).uniq
    end

    def loops
      faces.flat_map(&:loops).select { |found| found.vertices.include?(self) }
    end

    # @return [Sketchup::Edge, nil] the edge both have
    def common_edge(vertex)
      @edges.find { |edge| edge.start.equal?(vertex) || edge.end.equal?(vertex) }
    end

    # @param entity [Sketchup::Edge, Sketchup::Face]
    def used_by?(entity)
      entity.vertices.include?(self)
    end

    def headless_xyz
      @xyz
    end

    def headless_xyz=(xyz)
      @xyz = xyz
    end

    # The array itself.
    def headless_edges
      @edges
    end

    def headless_owner=(owner)
      @owner = owner
    end

    def headless_change_events
      []
    end
  end
end
