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
      looks = []
      @walk.each { |stop| looks << look_at(stop) }
      looks.each { |look| draw_faces(look) }
      # Lines compare themselves with all faces around them.
      looks.each { |look| draw_lines(look) } # rubocop:disable Style/CombinableLoops
      @canvas
    end

    private

    # A collection at its place: points in the world, before the eye, and as pixels (nil: too near).
    # Of a closed body seen from outside the far sides need not be drawn.
    Look = Struct.new(:stop, :mesh, :world, :seen, :pixels, :closed)
    private_constant :Look

    def light
      axes = [@camera.xaxis, @camera.yaxis, @camera.direction.reverse].map { |axis| Coordinates.of(axis) }
      Coordinates.unit([0, 1, 2].map { |row| axes.zip(LIGHT).sum { |axis, share| axis[row] * share } })
    end

    def look_at(stop)
      mesh = DrawingMesh.of(stop.entities)
      world = mesh.positions.map { |xyz| Coordinates.transform(stop.matrix, xyz) }
      seen = @projection.seen(world)
      pixels = seen.map { |point| @projection.pixel_before_eye(point) }
      Look.new(stop, mesh, world, seen, pixels, pixels.all? && Solidity.closed?(stop.entities))
    end

    def draw_faces(look)
      look.mesh.triangles.each do |face, triangles|
        draw_face(face, triangles, look) if @walk.drawn?(face, look.stop)
      end
    end

    def draw_lines(look)
      look.mesh.lines.each do |edge, ends|
        draw_line(edge, ends, look) if !edge.headless_unseen? && @walk.drawn?(edge, look.stop)
      end
    end

    def draw_face(face, triangles, look)
      paint = nil
      triangles.each do |corners|
        paint ||= face_paint(face, look, look.world.values_at(*corners))
        next if paint.nil?
        break if paint == :far

        flat = look.pixels.values_at(*corners)
        if flat.all?
          @canvas.triangle(flat, paint)
        else
          draw_clipped(look.seen.values_at(*corners), paint)
        end
      end
    end

    def draw_clipped(points, paint)
      flat = @projection.clipped(points).map { |point| @projection.pixel(point) }
      (1..(flat.size - 2)).each do |place|
        @canvas.triangle([flat[0], flat[place], flat[place + 1]], paint)
      end
    end

    def draw_line(edge, ends, look)
      from, to = look.pixels.values_at(*ends)
      unless from && to
        points = @projection.clipped_line(look.seen.values_at(*ends))
        return if points.empty?

        from, to = points.map { |point| @projection.pixel(point) }
      end
      @canvas.line(from, to, @canvas.paint(LINE, (look.stop.root || edge).entityID))
    end

    # A flat face as it is lit; nil when this triangle of it has no direction, :far when it is not
    # to be drawn.
    def face_paint(face, look, points)
      normal = Coordinates.unit(Coordinates.area_vector(points))
      return nil if normal.nil?

      stop = look.stop
      normal = normal.map(&:-@) if Coordinates.mirrors?(stop.matrix)
      front = @projection.faces_eye?(normal, points[0])
      return :far if look.closed && !front

      light = Coordinates.dot(normal, @light) * (front ? 1 : -1)
      lit = AMBIENT + (DIRECT * [light, 0.0].max)
      red, green, blue = base_color(face, stop, front).map { |value| (value * lit).round }
      @canvas.paint((red << 24) | (green << 16) | (blue << 8) | 0xFF, (stop.root || face).entityID)
    end

    def base_color(face, stop, front)
      material = (front ? face.material : face.back_material) || stop.material
      return rgb(material) if material

      front ? FRONT : BACK
    end

    def rgb(material)
      color = material.color
      color ? [color.red, color.green, color.blue] : FRONT
    end
  end
end
