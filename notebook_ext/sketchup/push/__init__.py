"""Executing a trace in SketchUp, an undo step each, and taking back what failed."""
