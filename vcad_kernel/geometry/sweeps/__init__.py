"""Sketches, letters and gears as outlines, and the triangle skins that they sweep."""
