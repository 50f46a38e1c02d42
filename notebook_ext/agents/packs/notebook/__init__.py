"""Pack notebook: the cells of notebooks, open or not."""
