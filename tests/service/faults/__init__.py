"""Faults of every kind against the real service, its front and workers being processes of their own."""
