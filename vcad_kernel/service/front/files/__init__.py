"""The front's files: which paths clients may name, what is published, and what is made from what."""
