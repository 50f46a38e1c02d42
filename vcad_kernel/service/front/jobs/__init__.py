"""What clients ask of the worker, from its place in the queue to its end, whatever that is."""
