"""The mesh kernel: bodies on manifold3d, what is read into them, and the lines and polygons drawn of them."""
