# frozen_string_literal: true

module Headless
  # Chains the directed edges around a flat region into loops without repeated corners.
  class RegionOutline
    # @param axes [Array(Integer, Integer)] coordinates in which the region lies counter clockwise
    def initialize(positions, axes)
      @positions = positions
      @u, @v = axes
    end

    # @param edges [Array<Array(Integer, Integer)>]
    # @return [Array<Array<Integer>>]
    def loops(edges)
      leaving = edges.group_by(&:first).transform_values { |list| list.map(&:last) }
      found = []
      until leaving.empty?
        start = leaving.each_key.first
        found.concat(simple_loops(walk(start, leaving)))
      end
      found
    end

    private

    def walk(start, leaving)
      path = [start]
      loop do
        here = path[-1]
        choices = leaving[here]
        break if choices.nil?

        following = if choices.size == 1 || path.size == 1
                      choices.first
                    else
                      sharpest_left(path[-2], here,
                                    choices)
                    end
        choices.delete_at(choices.index(following))
        leaving.delete(here) if choices.empty?
        break if following == start && leaving[start].nil?

        path << following
      end
      path
    end

    # The region lies on the left, so the sharpest left turn stays with the same part of it.
    def sharpest_left(before, here, choices)
      back = angle(here, before)
      choices.min_by { |choice| (back - angle(here, choice)) % (2 * Math::PI) }
    end

    def angle(from, to)
      a = @positions[from]
      b = @positions[to]
      Math.atan2(b[@v] - a[@v], b[@u] - a[@u])
    end

    # Cuts a path at corners that it comes through again.
    def simple_loops(path)
      found = []
      open = []
      place = {}
      path.each do |corner|
        if (first = place[corner])
          found << open.slice!(first..-1).each { |gone| place.delete(gone) }
        end
        place[corner] = open.size
        open << corner
      end
      found << open
      found.select { |corners| corners.size > 2 }
    end
  end
end
