# frozen_string_literal: true

# What has to be confirmed on a real SketchUp, beside the switches of Headless::Configuration.
module Headless
  # `definition=` of an instance that is on the active path: 'raise' or 'allow'.
  ACTIVE_PATH_DEFINITION_SET = 'raise'
end
