"""Notebooks of a workspace: through the page that shows one, or on disk."""
