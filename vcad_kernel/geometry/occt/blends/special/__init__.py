"""Blends whose geometry is known, built from it before OpenCASCADE is asked."""
