# frozen_string_literal: true

module Sketchup
  # A point to draw from.
  class ConstructionPoint < Drawingelement
    def initialize(owner, xyz)
      super(owner)
      @xyz = xyz
    end

    def position
      Headless::Coordinates.point(@xyz)
    end

    def headless_points
      [@xyz]
    end
  end

  # A line to draw along, with or without ends.
  class ConstructionLine < Drawingelement
    # @param finish [Geom::Point3d, Geom::Vector3d] the other end, or the direction of a line without ends
    def initialize(owner, start, finish, stipple)
      super(owner)
      @start = start
      @endless = finish.is_a?(Geom::Vector3d)
      towards = Headless::Coordinates.of(finish)
      @end = @endless ? nil : towards
      @direction = @endless ? towards : Headless::Coordinates.subtract(towards, start)
      @stipple = stipple
    end

    def position
      Headless::Coordinates.point(@start)
    end

    def direction
      Headless::Coordinates.vector(Headless::Coordinates.unit(@direction) || @direction)
    end

    # @return [Geom::Point3d, nil]
    def start
      Headless::Coordinates.point(@start) unless @endless
    end

    # @return [Geom::Point3d, nil]
    def end
      Headless::Coordinates.point(@end) if @end
    end

    def stipple
      @stipple.dup
    end

    def headless_points
      [@start, @end].compact
    end
  end
end
