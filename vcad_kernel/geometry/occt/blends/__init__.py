"""Fillets and chamfers on OpenCASCADE: the ways to build them, their referee, and how large they can be."""
