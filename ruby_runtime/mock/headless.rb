# frozen_string_literal: true

# A SketchUp without a window: its Ruby API under its own names, working on models kept in memory.
# What is not API lives in the namespace Headless; runtime code never requires this file (it says
# `require 'sketchup'`, which in this folder comes here).
module Headless
  ROOT = __dir__.freeze
end

$LOAD_PATH.unshift(Headless::ROOT) unless $LOAD_PATH.include?(Headless::ROOT)

require 'host/configuration'
require 'host/gaps'
require 'host/failures'
require 'host/clock'
require 'host/timers'
require 'host/scripted_answers'
require 'host/host'

require 'units'
require 'geom'
require 'model_state'
require 'view'
require 'importers'
require 'exporters'

require 'host/constants'
require 'host/app_observers'
require 'host/documents'
require 'host/sketchup_module'
require 'host/extensions_manager'
require 'host/console'
require 'host/menu'
require 'host/html_dialog'
require 'host/ui'
require 'host/sketchup_extension'
require 'dump'
require 'host/event_loop'

Headless::GapReporting.cover(Sketchup, Geom, UI)
Headless::Units.display = -> { Sketchup.active_model.headless_display_units }
Headless.reset
