"""The tools of the service as the worker performs them."""
