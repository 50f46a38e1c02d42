"""Pack python: outlines, definitions and edits of Python files."""
