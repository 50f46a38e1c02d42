"""Files out: one writer per format over TriMesh."""
