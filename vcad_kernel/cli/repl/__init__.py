"""The conversation of ``vcad repl``, and its terminal."""
