"""``vcad mcp``: between an agent's standard streams and the session that a person works in.

`serving.py` is the server that the agent sees, `attachment.py` knows which session it belongs to, and
`upstream.py` is one connection to that session's ``/mcp``. Nothing here knows a tool: every method is passed
on as it is.
"""
