# frozen_string_literal: true

module Headless
  # Moving a face along its normal, with walls where there were none.
  class PushPull
    # Normals are at right angles when their product is smaller.
    SQUARE = 1e-6
    private_constant :SQUARE

    def initialize(face, distance)
      @face = face
      @entities = face.headless_owner
      @normal = face.headless_normal
      @offset = @normal.map { |value| value * distance }
      @outward = distance.positive?
    end

    # @param copy [Boolean] leave the face where it is and begin new walls
    def run(copy)
      return if @offset.all?(&:zero?)

      @face.headless_journal.step('Push/Pull') do
        copy || !walled? ? extrude(copy) : move
      end
    end

    private

    # Whether every edge has one other face, at a right angle: then these grow along.
    def walled?
      @face.headless_edges.all? do |edge|
        others = edge.headless_faces - [@face]
        others.size == 1 && Coordinates.dot(others.first.headless_normal, @normal).abs < SQUARE
      end
    end

    def move
      Moving.move(@entities, @face.headless_loops.flatten) { |vertex| moved(vertex) }
    end

    # A face by itself becomes the bottom of the body, one with neighbours gives way.
    def extrude(copy)
      loops = outward_loops
      alone = @face.headless_edges.all? { |edge| edge.headless_faces.size == 1 }
      @entities.headless_sew('Push/Pull') { |sewing| build(sewing, loops) }
      if alone
        @face.reverse! if @outward
      elsif !copy
        Erasing.remove(@entities, [@face])
      end
    end

    # Holes run against the outer loop.
    def outward_loops
      @face.headless_loops.each_with_index.map do |loop, place|
        along = Coordinates.dot(Coordinates.area_vector(loop.map(&:headless_xyz)), @normal).positive?
        along == place.zero? ? loop : loop.reverse
      end
    end

    def build(sewing, loops)
      lids = loops.map { |loop| loop.map { |vertex| sewing.vertex(moved(vertex)) } }
      loops.zip(lids) { |loop, lid| walls(sewing, loop, lid) }
      lids = lids.map(&:reverse) unless @outward
      lid = sewing.face(lids.first, lids.drop(1))
      lid.headless_dress_like(@face)
    end

    def walls(sewing, loop, lid)
      loop.each_index do |index|
        following = (index + 1) % loop.size
        corners = [loop[index], loop[following], lid[following], lid[index]]
        sewing.face(@outward ? corners : corners.reverse)
      end
    end

    def moved(vertex)
      vertex.headless_xyz.zip(@offset).map(&:sum)
    end
  end
end
