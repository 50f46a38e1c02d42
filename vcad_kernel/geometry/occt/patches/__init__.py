"""Surfaces through curves and points, and solids between two surfaces."""
