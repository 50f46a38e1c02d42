# frozen_string_literal: true

# The camera, and the view that draws what it sees into a picture.

# The host's namespace.
module Sketchup
end

require 'view/camera'
require 'view/drawing_mesh'
require 'view/scene_walk'
require 'view/projection'
require 'view/canvas'
require 'view/picture'
require 'view/png'
require 'view/jpeg'
require 'view/image_file'
require 'view/view'
