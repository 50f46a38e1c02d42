"""Solids: the two questions (mesh, B-rep), kernels, measurement. Knows no service."""
