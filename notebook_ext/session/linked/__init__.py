"""The parts that are linked to SketchUp: their revisions, meshes and plans."""
