"""The special forms of the language: a file for each, or for a close family, with all that is known of it."""
