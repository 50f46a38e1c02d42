"""Figures of parts: what they measure, how far they are apart, and where a face comes from."""
