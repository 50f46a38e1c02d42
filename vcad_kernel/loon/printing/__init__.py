"""Forms and values to text: the formatter's layout, forms on one line, values as they are shown."""
