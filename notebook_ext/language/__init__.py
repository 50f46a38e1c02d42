"""Help with Loon text in a notebook: completion, Shift-Tab, findings while one types."""
