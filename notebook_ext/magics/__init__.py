"""``%%loon`` and the other magics: options on a line, and the session's verbs that they call."""
