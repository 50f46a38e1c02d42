# frozen_string_literal: true

module Headless
  # Draws what a model's camera sees: flat faces with light from behind the viewer's shoulder, dark
  # lines for hard edges.
  class Picture
    FRONT = [248, 248, 245].freeze
    BACK = [163, 178, 196].freeze
    LINE = 0x262626FF
    BACKGROUND = 0xFFFFFFFF
    NOTHING = 0x00000000
    # Light that reaches every face, and the share that depends on how it is turned.
    AMBIENT = 0.5
    DIRECT = 0.5
    # Where the light comes from: to the right, upwards and towards the viewer.
    LIGHT = [-0.35, 0.55, 0.76].freeze

    # @param model [Sketchup::Model]
    # @param camera [Sketchup::Camera]
    def initialize(model, camera, width, height, transparent: false)
      @walk = SceneWalk.new(model)
      @camera = camera
      @projection = Projection.new(camera, width, height)
      @canvas = Canvas.new(width, height, transparent ? NOTHING : BACKGROUND)
      @light = light
    end

    # @return [Canvas]
    def draw
      seen = []
      @walk.each { |stop| seen << [stop, *looked_at(stop)] }
      seen.each { |row| draw_faces(*row) }
      seen.each { |row| draw_lines(*row) }
      @canvas
    end

    private

    def light
      axes = [@camera.xaxis, @camera.yaxis, @camera.direction.reverse].map { |axis| Coordinates.of(axis) }
      Coordinates.unit([0, 1, 2].map { |row| axes.zip(LIGHT).sum { |axis, share| axis[row] * share } })
    end

    # @return [Array] the mesh, its points in the world, before the eye, and as pixels (nil: too near)
    def looked_at(stop)
      mesh = DrawingMesh.of(stop.entities)
      world = mesh.positions.map { |xyz| Coordinates.transform(stop.matrix, xyz) }
      seen = @projection.seen(world)
      parallel = !@camera.perspective?
      [mesh, world, seen, seen.map { |point| @projection.pixel(point) if parallel || point[2] >= Projection::NEAR }]
    end

    def draw_faces(stop, mesh, world, seen, pixels)
      mesh.triangles.each do |face, triangles|
        draw_face(face, triangles, stop, world, seen, pixels) if @walk.drawn?(face, stop)
      end
    end

    def draw_lines(stop, mesh, _world, seen, pixels)
      mesh.lines.each do |edge, ends|
        draw_line(edge, ends, stop, seen, pixels) if !edge.headless_unseen? && @walk.drawn?(edge, stop)
      end
    end

    def draw_face(face, triangles, stop, world, seen, pixels)
      owner = (stop.root || face).entityID
      mirrored = Coordinates.mirrors?(stop.matrix)
      color = nil
      triangles.each do |corners|
        color ||= shade(face, stop, world.values_at(*corners), mirrored)
        next if color.nil?

        flat = pixels.values_at(*corners)
        flat.all? ? @canvas.triangle(flat, color, owner) : draw_clipped(seen.values_at(*corners), color, owner)
      end
    end

    def draw_clipped(points, color, owner)
      points = @projection.clipped(points)
      flat = points.map { |point| @projection.pixel(point) }
      (1..(flat.size - 2)).each { |place| @canvas.triangle([flat[0], flat[place], flat[place + 1]], color, owner) }
    end

    def draw_line(edge, ends, stop, seen, pixels)
      from, to = pixels.values_at(*ends)
      unless from && to
        points = @projection.clipped(seen.values_at(*ends))
        return if points.size < 2

        from, to = points.uniq.first(2).map { |point| @projection.pixel(point) }
      end
      @canvas.line(from, to, LINE, (stop.root || edge).entityID)
    end

    # The colour of a flat face as it is lit; nil when this triangle has no direction.
    def shade(face, stop, points, mirrored)
      normal = Coordinates.unit(Coordinates.area_vector(points))
      return nil if normal.nil?

      normal = normal.map(&:-@) if mirrored
      front = @projection.faces_eye?(normal, points[0])
      material = (front ? face.material : face.back_material) || stop.material
      base = material ? rgb(material) : (front ? FRONT : BACK)
      lit = AMBIENT + (DIRECT * [Coordinates.dot(front ? normal : normal.map(&:-@), @light), 0.0].max)
      red, green, blue = base.map { |value| (value * lit).round }
      (red << 24) | (green << 16) | (blue << 8) | 0xFF
    end

    def rgb(material)
      color = material.color
      color ? [color.red, color.green, color.blue] : FRONT
    end
  end
end
