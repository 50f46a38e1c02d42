"""The notebook side: ``%load_ext notebook_ext``."""
