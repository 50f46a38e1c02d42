"""Paths, and the skins of what is carried along them."""
