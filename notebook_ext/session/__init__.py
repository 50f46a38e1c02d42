"""The live session: its cells and parts."""
