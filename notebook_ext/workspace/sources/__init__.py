"""Outlines of Python and Loon sources, and edits that keep to them."""
