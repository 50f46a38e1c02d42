"""The session's one entry point for other programs: a loopback port with a token."""
