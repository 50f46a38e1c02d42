"""The subcommands of ``vcad`` that need a session: the entry point that `vcad_kernel.cli` takes in.

Whatever is slow to load is loaded by the subcommand that needs it.
"""

from __future__ import annotations

from notebook_ext.cli.approve import approve
from notebook_ext.cli.lab import lab
from notebook_ext.cli.mcp import mcp, session
from notebook_ext.cli.sessions import sessions
from notebook_ext.cli.view import view

__all__ = ["COMMANDS"]

COMMANDS = (lab, view, mcp, session, sessions, approve)
"""In the order of the list of subcommands."""
