"""Solids from whole solids: booleans, transforms, patterns, hulls, cuts."""
