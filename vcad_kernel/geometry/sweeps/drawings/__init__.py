"""Profiles of drawings that other programs have written: SVG and DXF."""
