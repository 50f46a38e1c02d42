"""Calls of builtins compiled in place: arithmetic, access to items, loops over a literal function."""
