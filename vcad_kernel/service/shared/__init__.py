"""What the front and the worker of the service share: the region of memory and the lines about it."""
