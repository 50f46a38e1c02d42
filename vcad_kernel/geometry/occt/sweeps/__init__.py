"""Exact bodies from sketches: extruded, revolved, swept and lofted; letters and gears among them."""
