"""Solids from nothing or from profiles: primitives, gears, text, imported bodies, extrusions, sweeps."""
