"""Faces and edges of a body: what each is, how neighbours meet, which edges are sharp."""
