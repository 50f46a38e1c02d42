"""Text to forms with their places: the table of tokens, the fast reader, and the grammar that rules it."""
