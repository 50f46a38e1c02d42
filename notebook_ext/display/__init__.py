"""What a cell shows, and how its failures look."""
