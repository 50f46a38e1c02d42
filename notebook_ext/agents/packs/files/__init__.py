"""Pack files: reading and writing the workspace."""
