"""What was evaluated before: in memory by content, and on disk across restarts."""
