"""Curves, surfaces and their borders as functions of whole arrays of parameters."""
