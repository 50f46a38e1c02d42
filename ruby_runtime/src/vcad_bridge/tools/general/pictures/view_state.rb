# frozen_string_literal: true

module Vcad
  module Bridge
    module Tools
      module General
        # A camera's values. The host's camera object is live, so it cannot be kept itself.
        class CameraState
          def initialize(camera)
            @eye = camera.eye
            @target = camera.target
            @up = camera.up
            @perspective = camera.perspective?
            @lens = @perspective ? camera.fov : camera.height
          end

          # @return [Sketchup::Camera] a new camera with the kept values
          def camera
            camera = Sketchup::Camera.new(@eye, @target, @up, @perspective)
            @perspective ? camera.fov = @lens.to_f : camera.height = @lens.to_f
            camera
          end
        end

        # Shows one group or component alone, for the time of a block.
        class Isolation
          OPTIONS = %w[InactiveHidden InstanceHidden].freeze

          def initialize(model)
            @model = model
          end

          # @param path [Array<Sketchup::Entity>] from the root down to what is shown; nil shows everything
          def show(path)
            return yield unless path

            before = @model.active_path
            options = OPTIONS.to_h { |name| [name, @model.rendering_options[name]] }
            begin
              # A plain array: InstancePath.new mistakes some arrays in SketchUp 2026.2.
              @model.active_path = path
              OPTIONS.each { |name| @model.rendering_options[name] = true }
              yield
            ensure
              options.each { |name, value| @model.rendering_options[name] = value }
              @model.active_path = before
            end
          end

          # The way from the root to an entity; through the first instance where there are several.
          # @return [Array<Sketchup::Entity>, nil] nil when it stands nowhere in the model
          def path_to(entity)
            parent = entity.parent
            return [entity] unless parent.is_a?(Sketchup::ComponentDefinition)

            parent.instances.select(&:valid?).each do |around|
              outer = path_to(around)
              return outer + [entity] if outer
            end
            nil
          end
        end
      end
    end
  end
end
