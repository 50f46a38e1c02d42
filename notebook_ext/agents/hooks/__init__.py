"""The hook API: what tests, front ends and other local programs ask a session for over HTTP.

Importing it brings starlette, so the gateway does that in its own thread, at its first connection.
"""

from notebook_ext.agents.hooks.routing import routes

__all__ = ["routes"]
