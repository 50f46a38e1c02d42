"""What follows a change: which changes there are, what depends on them, and evaluating that once."""
