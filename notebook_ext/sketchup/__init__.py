"""SketchUp: the connection to its extension, and the requests to it.

Nothing is imported here: a notebook that never pushes a part pays nothing for it.
"""
