"""Seeing the model: buffers, the inline view, the live view."""
