"""What stands under a cell: the picture with its toolbar, sliders, progress."""
