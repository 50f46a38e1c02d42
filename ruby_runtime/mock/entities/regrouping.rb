# frozen_string_literal: true

module Headless
  # Copying and moving elements from one collection into another.
  module Regrouping
    module_function

    # Puts elements into a new group. Groups and components keep their identity, edges and faces are new.
    # @return [Sketchup::Group]
    def group(entities, elements)
      elements.each { |element| Erasing.check(entities, element) }
      definition = entities.headless_model.definitions.headless_add('', group: true)
      placed, flat = elements.partition { |element| element.is_a?(Placed) }
      copy_flat(flat, definition.headless_entities, nil)
      placed.each { |instance| move(instance, definition.headless_entities) }
      Erasing.remove(entities, flat) unless flat.empty?
      entities.headless_add([Sketchup::Group.new(entities, definition, Geom::Transformation.new)]).first
    end

    # Copies everything, with layers, materials, flags, attributes and names.
    # @param matrix [Array<Float>, nil] 16 numbers applied to what is copied
    # @return [Array<Sketchup::Entity>] the copies
    def copy(source, target, matrix = nil)
      list = source.headless_list.dup
      placed, flat = list.partition { |element| element.is_a?(Placed) }
      copy_flat(flat, target, matrix) + placed.map { |instance| copy_placed(instance, target, matrix) }
    end

    def copy_placed(instance, target, matrix)
      placing = instance.headless_matrix
      placing = Coordinates.product(matrix, placing) if matrix
      made = instance.class.new(target, instance.headless_definition, Coordinates.transformation(placing))
      target.headless_add([made])
      made.headless_dress_like(instance)
      made
    end

    def copy_flat(elements, target, matrix)
      pairs = []
      target.headless_sew('Copy') do |sewing|
        places = Hash.new do |known, vertex|
          xyz = vertex.headless_xyz
          known[vertex] = sewing.vertex(matrix ? Coordinates.transform(matrix, xyz) : xyz)
        end.compare_by_identity
        elements.grep(Sketchup::Edge).each do |edge|
          pairs << [edge, sewing.edge(places[edge.headless_start], places[edge.headless_end])]
        end
        elements.grep(Sketchup::Face).each { |face| pairs << [face, copy_face(face, sewing, places, matrix)] }
      end
      pairs.select!(&:last)
      pairs.each { |element, made| dress(made, element) }
      pairs.map(&:last)
    end

    def dress(made, element)
      made.headless_dress_like(element)
      return unless element.is_a?(Sketchup::Face) && made.headless_edges.size == element.headless_edges.size

      made.headless_edges.zip(element.headless_edges) { |copy, edge| copy.headless_dress_like(edge) }
    end

    def copy_face(face, sewing, places, matrix)
      loops = face.headless_loops.map { |loop| loop.map { |vertex| places[vertex] } }
      loops = loops.map(&:reverse) if matrix && mirrored?(matrix)
      sewing.face(loops.first, loops.drop(1))
    end

    def mirrored?(matrix)
      axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map { |axis| Coordinates.turn(matrix, axis) }
      Coordinates.dot(axes[0], Coordinates.cross(axes[1], axes[2])).negative?
    end

    # Takes a group or component over into another collection; it stays the same entity.
    def move(instance, target)
      source = instance.headless_owner
      source.headless_refuse_while_walking
      before = source.headless_list
      journal = target.headless_model.headless_journal
      journal.change(
        undo: lambda do
          target.headless_list.pop
          source.headless_list.replace(before)
          instance.headless_owner = source
          target.headless_touched(nil)
        end,
        redo: lambda do
          before = source.headless_list.dup
          source.headless_list.delete(instance)
          target.headless_list.push(instance)
          instance.headless_owner = target
          target.headless_touched(nil)
        end,
        events: [[:element_removed, source, [instance]], [:element_added, target, [instance]]],
        touching: source
      )
    end
  end
end
