"""SketchUp: the connection to its extension, and what is asked of it.

Nothing is imported here: a notebook that never pushes a part pays nothing for it.
"""
