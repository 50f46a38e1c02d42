"""STEP files as solids, read in a process of their own."""
