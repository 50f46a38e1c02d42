# frozen_string_literal: true

require_relative '../../../calls/arguments'
require_relative '../../../model/entity_lookup'
require_relative '../../../calls/failure'
require_relative '../../../model/millimetres'
require_relative '../entities'
require_relative 'picture'
require_relative 'picture_fit'
require_relative 'view_state'

module Vcad
  module Bridge
    module Tools
      module General
        # One picture of a batch: where the camera stands, what is shown, and the file's name.
        class Shot
          NAME = /\A(?!\.)[A-Za-z0-9._ -]{1,64}\z/
          TYPES = %w[standard_view custom zoom_entity].freeze
          # Where the camera stands, and what points up.
          VIEWS = {
            'top' => [[0, 0, 1], [0, 1, 0]], 'bottom' => [[0, 0, -1], [0, 1, 0]],
            'front' => [[0, -1, 0], [0, 0, 1]], 'back' => [[0, 1, 0], [0, 0, 1]],
            'left' => [[-1, 0, 0], [0, 0, 1]], 'right' => [[1, 0, 0], [0, 0, 1]],
            'iso' => [[1, -1, 1], [0, 0, 1]]
          }.freeze
          VERTICAL = 1e-6

          # @return [String, nil] checked
          attr_reader :name

          # Checks the name; the rest is checked when the picture is taken, because one bad shot must not stop
          # the others.
          # @param arguments [Arguments] one element of shots[]
          def initialize(arguments, index)
            @arguments = arguments
            @index = index
            @name = arguments.string('name', default: nil, pattern: NAME)
          end

          # @return [String] the file's stem after the base name
          def label
            name || format('%03d', @index)
          end

          # @param defaults [Hash] width, height, transparent of the whole batch
          def take(model, path, defaults)
            width, height = Picture.size(@arguments, width: defaults[:width], height: defaults[:height])
            isolation = Isolation.new(model)
            isolation.show(isolated(model, isolation)) do
              aim(model, width, height)
              Picture.write(model.active_view, path, width, height, transparent: defaults[:transparent])
            end
          end

          private

          def aim(model, width, height)
            camera = @arguments.nested('camera', default: {})
            type = camera.one_of('type', TYPES, default: 'standard_view')
            view = model.active_view
            shown = if type == 'zoom_entity'
                      zoom_to_entities(camera, model, view)
                    else
                      look(type, camera, model, view)
                    end
            PictureFit.widen(view, shown, width, height) if shown
          end

          # @return [Geom::BoundingBox, nil] what is to fit the picture
          def look(type, camera, model, view)
            view.camera = type == 'custom' ? custom(camera) : standard(camera, model)
            return unless camera.boolean('zoom_extents', default: true)

            view.zoom_extents
            model.bounds
          end

          def standard(camera, model)
            direction, up = VIEWS.fetch(camera.one_of('view', VIEWS.keys, default: 'iso'))
            empty = Millimetres.empty?(model.bounds)
            centre = empty ? Geom::Point3d.new(0, 0, 0) : model.bounds.center
            distance = empty ? 100.0 : [model.bounds.diagonal.to_f * 2.0, 1.0].max
            direction = Geom::Vector3d.new(*direction)
            direction.length = distance
            Sketchup::Camera.new(centre + direction, centre, Geom::Vector3d.new(*up), false)
          end

          # Coordinates in inches, as in all general tools.
          def custom(camera)
            eye = Geom::Point3d.new(*camera.numbers('eye', 3))
            target = Geom::Point3d.new(*camera.numbers('target', 3))
            direction = target - eye
            camera.refuse('target', 'a point away from eye') if direction.length.to_f < VERTICAL

            perspective = camera.boolean('perspective', default: true)
            made = Sketchup::Camera.new(eye, target, up_for(camera, direction), perspective)
            made.fov = camera.number('fov', default: 35.0, range: 1.0..120.0) if perspective
            made
          end

          # Straight up or down needs another axis on top.
          def up_for(camera, direction)
            given = camera.numbers('up', 3, default: nil)
            up = Geom::Vector3d.new(*(given || [0, 0, 1]))
            return up unless up.length.to_f < VERTICAL || up.parallel?(direction)

            y_axis = Geom::Vector3d.new(0, 1, 0)
            y_axis.parallel?(direction) ? Geom::Vector3d.new(0, 0, 1) : y_axis
          end

          def zoom_to_entities(camera, model, view)
            entities = camera.integers('entity_ids').map do |id|
              entity = EntityLookup.by_id(model, id)
              entity&.valid? ? entity : raise(Entities.missing(id))
            end
            camera.refuse('entity_ids', 'at least one id') if entities.empty?
            padding = camera.number('padding', default: 1.0, range: 0.1..100.0)
            view.zoom(entities)
            box = entities.each_with_object(Geom::BoundingBox.new) { |entity, sum| sum.add(entity.bounds) }
            step_back(view, box, padding) unless (padding - 1.0).abs < VERTICAL
            box
          end

          def step_back(view, box, padding)
            state = view.camera
            return state.height = state.height.to_f * padding unless state.perspective?

            away = state.eye - box.center
            return if away.length.to_f < VERTICAL

            away.length = away.length.to_f * padding
            moved = CameraState.new(state).camera
            moved.set(box.center + away, box.center, state.up)
            view.camera = moved
          end

          def isolated(model, isolation)
            return nil unless @arguments.given?('isolate')

            id = @arguments.integer('isolate', digits: true)
            entity = EntityLookup.by_id(model, id)
            raise Entities.missing(id) unless entity&.valid?

            unless entity.is_a?(Sketchup::Group) || entity.is_a?(Sketchup::ComponentInstance)
              @arguments.refuse('isolate', 'the id of a group or component')
            end
            isolation.path_to(entity) || raise(Entities.missing(id))
          end
        end
      end
    end
  end
end
