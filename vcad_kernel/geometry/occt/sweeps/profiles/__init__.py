"""Profiles in OpenCASCADE: wires and plane faces of outlines, read back and edited."""
