"""Bodies put together and cut on OpenCASCADE, and the merging of faces that belongs to it."""
