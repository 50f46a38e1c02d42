# frozen_string_literal: true

module Headless
  # Ear clipping over a ring of nodes; holes are first joined to the outside by bridges, whose ends
  # are nodes of their own over the same corners. Face#mesh and the exporters need it for faces that are
  # not convex or have holes: every corner is used and none is added, so that what is read from a solid
  # closes as the solid does. Neither Ruby nor a gem of Debian's does that.
  class EarClipping
    # @param loops [Array<Array<Array(Float, Float)>>] the outside counter clockwise, then the holes
    def initialize(loops)
      @xs = []
      @ys = []
      @corners = []
      @after = []
      @before = []
      rings = loops.map { |points| ring(points) }
      @start = rings.first.first
      turn_around(rings.first) if signed_area(rings.first).negative?
      holes = rings.drop(1).reject(&:empty?)
      holes.each { |hole| turn_around(hole) if signed_area(hole).positive? }
      join(holes)
    end

    # @return [Array<Array(Integer, Integer, Integer)>]
    def triangles
      cut = []
      node = @start
      remaining = size
      @bent = reflex_nodes
      misses = 0
      while remaining > 3
        if ear?(node, misses / remaining)
          cut << corners_at(node)
          node = clip(node)
          remaining -= 1
          misses = 0
        else
          node = @after[node]
          misses += 1
        end
      end
      cut << corners_at(node)
    end

    private

    def ring(points)
      first = @corners.size
      nodes = (first...(first + points.size)).to_a
      points.each_with_index { |(x, y), place| add_node(x, y, first + place) }
      nodes.each_with_index { |node, place| link(node, nodes[(place + 1) % nodes.size]) }
    end

    def add_node(x, y, corner)
      @xs << x
      @ys << y
      @corners << corner
      @corners.size - 1
    end

    def link(node, following)
      @after[node] = following
      @before[following] = node
    end

    def turn_around(nodes)
      nodes.each { |node| @after[node], @before[node] = @before[node], @after[node] }
    end

    def signed_area(nodes)
      nodes.sum { |node| (@xs[node] * @ys[@after[node]]) - (@xs[@after[node]] * @ys[node]) }
    end

    def each_node
      node = @start
      loop do
        yield node
        node = @after[node]
        break if node == @start
      end
    end

    def size
      count = 0
      each_node { count += 1 }
      count
    end

    def turn(a, b, c)
      ((@xs[b] - @xs[a]) * (@ys[c] - @ys[a])) - ((@ys[b] - @ys[a]) * (@xs[c] - @xs[a]))
    end

    def corners_at(node)
      [@corners[@before[node]], @corners[node], @corners[@after[node]]]
    end

    # Holes that touch what is joined already go first by the touching corner, the others from the right.
    def join(holes)
      waiting = holes.sort_by { |hole| hole.map { |node| [-@xs[node], @ys[node]] }.min }
      @placed = {}
      place_ring
      waiting.each do |hole|
        touching = hole.find { |node| @placed.key?([@xs[node], @ys[node]]) }
        touching ? splice(touching) : bridge(hole.max_by { |node| [@xs[node], @ys[node]] })
        hole.each { |node| (@placed[[@xs[node], @ys[node]]] ||= []) << node }
      end
    end

    def place_ring
      each_node { |node| (@placed[[@xs[node], @ys[node]]] ||= []) << node }
    end

    # A hole with a corner on the ring becomes part of it there, without a bridge.
    def splice(node)
      partners = @placed[[@xs[node], @ys[node]]]
      partner = partners.find { |other| opens_towards?(other, @after[node]) } || partners.first
      after_partner = @after[partner]
      link(partner, @after[node])
      link(node, after_partner)
    end

    # Joins a hole, by its rightmost node, to the nearest visible node of the ring around it.
    def bridge(node)
      partner = visible_from(node)
      return if partner.nil?

      partner_twin = add_node(@xs[partner], @ys[partner], @corners[partner])
      node_twin = add_node(@xs[node], @ys[node], @corners[node])
      after_partner = @after[partner]
      before_node = @before[node]
      link(partner, node)
      link(before_node, node_twin)
      link(node_twin, partner_twin)
      link(partner_twin, after_partner)
    end

    def visible_from(node)
      candidate, hit_x = edge_right_of(node)
      return nearest_node(node) if candidate.nil?
      return candidate if hit_x == @xs[candidate] && @ys[candidate] == @ys[node]

      hidden_by_nodes(node, candidate, hit_x)
    end

    # The edge that a ray to the right meets first; its end that lies further right, and where.
    def edge_right_of(node)
      x = @xs[node]
      y = @ys[node]
      best = nil
      best_x = Float::INFINITY
      each_node do |a|
        b = @after[a]
        next unless @ys[a] <= y && y <= @ys[b] && @ys[a] != @ys[b]

        hit = @xs[a] + ((y - @ys[a]) * (@xs[b] - @xs[a]) / (@ys[b] - @ys[a]))
        next unless hit >= x && hit < best_x

        best_x = hit
        best = end_of_edge(a, b, y)
      end
      [best, best_x]
    end

    def end_of_edge(a, b, y)
      return a if @ys[a] == y
      return b if @ys[b] == y

      @xs[a] > @xs[b] ? a : b
    end

    # Corners inside the triangle of node, hit and candidate stand in the way; the one seen at the
    # smallest angle is visible itself.
    def hidden_by_nodes(node, candidate, hit_x)
      best = candidate
      best_key = nil
      each_node do |other|
        next unless @xs[other] > @xs[node] && other_in_view?(node, candidate, hit_x, other)

        across = (@ys[other] - @ys[node]).abs / (@xs[other] - @xs[node])
        key = [across, @xs[other] - @xs[node]]
        next if best_key && (key <=> best_key) >= 0
        next unless opens_towards?(other, node)

        best = other
        best_key = key
      end
      best
    end

    def other_in_view?(node, candidate, hit_x, other)
      corners = [xy(node), [hit_x, @ys[node]], xy(candidate)]
      point = xy(other)
      sides = corners.each_index.map { |place| Triangulation.turn(corners[place - 1], corners[place], point) }
      sides.all? { |side| side >= 0 } || sides.all? { |side| side <= 0 }
    end

    def xy(node)
      [@xs[node], @ys[node]]
    end

    # Several nodes may stand over one corner; only one of them has the target in its inner angle.
    def opens_towards?(node, target)
      before = @before[node]
      after = @after[node]
      if turn(before, node, after) >= 0
        turn(node, target, before) >= 0 && turn(node, after, target) >= 0
      else
        turn(node, target, before) > 0 || turn(node, after, target) > 0
      end
    end

    def nearest_node(node)
      best = nil
      best_distance = Float::INFINITY
      each_node do |other|
        distance = ((@xs[other] - @xs[node])**2) + ((@ys[other] - @ys[node])**2)
        if distance < best_distance
          best = other
          best_distance = distance
        end
      end
      best
    end

    def reflex_nodes
      bent = {}
      each_node { |node| bent[node] = true if turn(@before[node], node, @after[node]) <= 0 }
      bent
    end

    # @param rounds [Integer] whole rounds that found nothing: then take what lies straight, then
    #   whatever turns left
    def ear?(node, rounds)
      before = @before[node]
      after = @after[node]
      area = turn(before, node, after)
      case rounds
      when 0 then area > 0 && nothing_inside?(before, node, after)
      when 1 then area >= 0 && (area < 1e-12 || nothing_inside?(before, node, after))
      when 2 then area >= 0
      else true
      end
    end

    def nothing_inside?(a, b, c)
      low_x, high_x = [@xs[a], @xs[b], @xs[c]].minmax
      low_y, high_y = [@ys[a], @ys[b], @ys[c]].minmax
      @bent.each_key do |node|
        x = @xs[node]
        next if x < low_x || x > high_x

        y = @ys[node]
        next if y < low_y || y > high_y
        return false if covered?(a, b, c, node)
      end
      true
    end

    # Nodes over a corner of the triangle do not count, those on its sides do.
    def covered?(a, b, c, node)
      x = @xs[node]
      y = @ys[node]
      return false if [a, b, c].any? { |corner| @xs[corner] == x && @ys[corner] == y }

      turn(a, b, node) >= 0 && turn(b, c, node) >= 0 && turn(c, a, node) >= 0
    end

    # Takes a node out of the ring; its neighbours may have become convex.
    # @return [Integer] where to go on
    def clip(node)
      before = @before[node]
      after = @after[node]
      link(before, after)
      @bent.delete(node)
      @start = after if node == @start
      [before, after].each do |neighbour|
        if turn(@before[neighbour], neighbour, @after[neighbour]) > 0
          @bent.delete(neighbour)
        else
          @bent[neighbour] = true
        end
      end
      @after[after]
    end
  end
end
