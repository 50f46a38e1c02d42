"""Meshes from outside: files and literals to a closed, outward mesh, or a clear refusal."""
