"""What compiled Loon code runs on: values, collections, builtins, effects."""
