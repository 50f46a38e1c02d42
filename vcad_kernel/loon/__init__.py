"""The Loon language: text to values. Knows nothing of CAD, files or sockets."""
