"""The front's files: which paths clients may name, what is published, what is watched and made from what."""
