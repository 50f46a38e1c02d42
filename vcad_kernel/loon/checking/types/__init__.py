"""Types as terms, in text, and how two of them are made equal."""
