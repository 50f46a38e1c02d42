# frozen_string_literal: true

require_relative '../../../model/millimetres'
require_relative 'view_state'

module Vcad
  module Bridge
    module Tools
      module General
        # The host zooms for its own window. A picture that is narrower than the window shows as much from top
        # to bottom and less from side to side, so the camera has to take in more.
        module PictureFit
          class << self
            # @param view [Sketchup::View] after a zoom
            # @param bounds [Geom::BoundingBox] of what is to be seen
            # @param width [Integer] pixels of the picture
            # @param height [Integer] pixels
            def widen(view, bounds, width, height)
              ratio = view.vpwidth.to_f / view.vpheight / (width.to_f / height)
              return unless ratio.finite? && ratio > 1.0 && !Millimetres.empty?(bounds)

              camera = view.camera
              return camera.height = camera.height.to_f * ratio unless camera.perspective?

              view.camera = farther(camera, bounds, ratio)
            end

            private

            # What stands nearer than the centre needs more than its share.
            def farther(camera, bounds, ratio)
              away = camera.direction.reverse
              distance = (camera.eye - bounds.center).length.to_f
              away.length = (ratio - 1.0) * (distance + (bounds.diagonal.to_f / 2.0))
              moved = CameraState.new(camera).camera
              moved.set(camera.eye + away, camera.target, camera.up)
              moved
            end
          end
        end
      end
    end
  end
end
