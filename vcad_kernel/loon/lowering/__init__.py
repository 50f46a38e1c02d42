"""Forms to Python's abstract syntax: one module per family of forms."""
