"""Faces moved along their normals, with the edges and corners between them."""
