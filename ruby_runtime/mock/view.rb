# frozen_string_literal: true

# The camera, and the view that it stands in.

# The host's namespace.
module Sketchup
end

require 'view/camera'
require 'view/scene_walk'
require 'view/projection'
require 'view/blank_image'
require 'view/image_file'
require 'view/view'
