"""Edges and faces of a B-rep by criteria, and the frame on a face."""
