"""Holes drilled into a face: where they are, what they are cut with, and whether they belong there."""
