# frozen_string_literal: true

module Headless
  # Many polygons at once, from plain numbers: the way importers and meshes take.
  module MeshLoading
    SOFT = 1
    SMOOTH = 2
    HIDDEN = 4
    NO_HOLES = [].freeze
    private_constant :NO_HOLES

    module_function

    # @param entities [Sketchup::Entities]
    # @param positions [Array<Array(Float, Float, Float)>] inches; no two within tolerance
    # @param polygons [Array<Array>] outer indices, then possibly holes, material and unit normal (or nil)
    # @param edge_flags [Hash{Integer => Integer}] lower index * positions.size + higher → sum of flags
    # @param material [Sketchup::Material, nil] for polygons that name none
    # @return [Integer] number of faces made
    def add(entities, positions, polygons, edge_flags = {}, material: nil)
      made = 0
      entities.headless_sew('Build', welded: entities.headless_list.empty?) do |sewing|
        vertices = Array.new(positions.size)
        polygons.each { |polygon| made += 1 if add_polygon(sewing, positions, vertices, polygon, material) }
        flag(sewing, vertices, edge_flags)
      end
      made
    end

    # Counts polygons that an importer dropped because they collapsed.
    def count_collapsed(model, number)
      return unless number.positive?

      model.headless_journal.assign(model, :@collapsed_faces, model.headless_collapsed_faces + number)
    end

    def add_polygon(sewing, positions, vertices, polygon, material)
      outer, holes, own = polygon
      corners = outer.map { |index| vertices[index] ||= sewing.vertex(positions[index]) }
      holes = holes&.map { |hole| hole.map { |index| vertices[index] ||= sewing.vertex(positions[index]) } }
      face = sewing.face(corners, holes || NO_HOLES)
      paint = own || material
      face.headless_paint(paint) if face && paint
      face
    end

    def flag(sewing, vertices, edge_flags)
      count = vertices.size
      edge_flags.each do |key, flags|
        low = vertices[key / count]
        high = vertices[key % count]
        edge = low && high && sewing.edge_between(low, high)
        edge&.headless_flag(flags.anybits?(SOFT), flags.anybits?(SMOOTH), flags.anybits?(HIDDEN))
      end
    end
  end
end
