"""The builtins of the language, by kind of value, and the tables of their names."""
