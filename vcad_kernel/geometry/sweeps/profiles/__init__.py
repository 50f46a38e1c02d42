"""Profiles in their plane: plane curves, regions, hulls, outlines of letters and gears."""
