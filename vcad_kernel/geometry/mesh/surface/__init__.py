"""The surface of a mesh as a person sees it: its edges, flat faces and lines."""
