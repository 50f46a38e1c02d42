"""The CAD library in Loon and its conversion to documents. Knows no kernel."""
