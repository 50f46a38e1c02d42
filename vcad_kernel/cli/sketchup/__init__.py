"""``vcad sketchup``: the extension packed, and run in the headless SketchUp."""
