"""What a session writes down and counts: its log, what that must not hold, and its figures."""
