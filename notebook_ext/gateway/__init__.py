"""The session's one door for other programs: a loopback port with a token, for agents, scripts and tests."""
