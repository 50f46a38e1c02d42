"""The magic about agents: ``%loon_mcp``. Only the border between IPython and the session, as in loon.py."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from IPython.core.magic import Magics, line_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, magic_arguments

from notebook_ext.magics.line import help_text, words
from notebook_ext.session.session import Session

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from notebook_ext.session_records import SessionRecord

__all__ = ["AgentMagics", "command_line"]


@magics_class
class AgentMagics(Magics):
    """What of the session is open to agents."""

    def __init__(self, shell: InteractiveShell, session: Session) -> None:
        super().__init__(shell)
        self.session = session

    @magic_arguments("loon_mcp")
    @argument("--json", action="store_true", help="as an entry of a client's configuration file")
    @argument(
        "--pack",
        action="append",
        default=[],
        metavar="NAME",
        help="tools besides the core ones, such as files or sketchup; all for all",
    )
    @argument("-h", "--help", action="store_true", help="show this help")
    @no_var_expand
    @line_magic
    def loon_mcp(self, line: str) -> None:
        """Show the one line by which an agent's program (any MCP client) works in this very session."""
        options = self.loon_mcp.parser.parse_args(words(line))
        if options.help:
            print(help_text(self.loon_mcp))
            return
        failure = self.session.gateway.failure
        record = self.session.gateway.open()
        if failure is not None:
            print(f"the session could not serve its last visitor: {type(failure).__name__}: {failure}")
            print("it is open again; the session's log (.vcad/logs) has more")
        command = [*_program(), *command_line(record, options.pack)]
        if options.json:
            entry = {"vcad": {"command": command[0], "args": command[1:]}}
            print(json.dumps({"mcpServers": entry}, ensure_ascii=False))
        else:
            print(shlex.join(command))


def command_line(record: SessionRecord, packs: list[str]) -> list[str]:
    """The arguments by which ``vcad`` finds a session: its notebook, which a restart of the server leaves
    as it is, else its kernel, else the session's own id. No token stands there: it is in the record.
    """
    wanted = record.notebook or record.kernel_id or record.session_id
    return ["mcp", "--session", wanted, *(part for pack in packs for part in ("--pack", pack))]


def _program() -> list[str]:
    """The ``vcad`` of this very environment: a client's own PATH seldom has it."""
    script = Path(sys.executable).with_name("vcad")
    return [str(script)] if script.is_file() else [sys.executable, "-m", "vcad_kernel"]
