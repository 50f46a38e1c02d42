"""Seeing the model: buffers, the inline view, the live view.

Importing this package costs nothing; the widget libraries come with the first view that is built.
"""
