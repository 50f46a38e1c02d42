"""The worker of the service: a process that evaluates, one request at a time, and may die at any moment."""
