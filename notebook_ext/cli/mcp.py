"""``vcad mcp`` and ``vcad session``: agents in the session of a notebook, or in one without a notebook."""

from __future__ import annotations

import socket
import threading
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import quote, urlsplit

import typer

from notebook_ext.agents.packs import PACKS

if TYPE_CHECKING:
    from notebook_ext.session_records import SessionRecord

__all__ = ["WorkspaceOption", "mcp", "project_folder", "session", "wake"]

_PATIENCE: Final = 1.0
"""Seconds for a session's gateway; a port of this machine answers at once or not at all."""

WorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        exists=True,
        file_okay=False,
        help="Folder of the project (VCAD_WORKSPACE); by default the one that the current folder lies in.",
    ),
]


def mcp(
    workspace: WorkspaceOption = None,
    session: Annotated[
        str | None,
        typer.Option(
            envvar="VCAD_SESSION",
            help="Which session: its id, its kernel's id or its notebook's name (VCAD_SESSION); by default "
            "the newest of the workspace. `vcad sessions` lists them.",
        ),
    ] = None,
    pack: Annotated[
        list[str] | None,
        typer.Option(
            help="More tools than the core: project, sketchup, files, python, notebook, diagnostics, shell, "
            "web or all. Repeat it for several.",
        ),
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Let a session that had to be started go on when the agent leaves.")
    ] = False,
) -> None:
    """Serve an agent on standard input and output, in the session of a running notebook (MCP).

    Your agent's program starts this; see docs/agents.md for its configuration. With no notebook in the
    workspace, the first tool call starts a session without one, as `vcad session` does.
    """
    known = (*PACKS, "all")
    for name in pack or ():
        if name not in known:
            raise typer.BadParameter(
                f"there is no pack {name}; the packs are {', '.join(known)}", param_hint="--pack"
            )
    folder, packs = project_folder(workspace), tuple(pack or ())
    threading.Thread(
        target=_wake, args=(folder, session or None, packs), name="vcad wake", daemon=True
    ).start()
    from notebook_ext.agents.proxy.serving import serve

    serve(folder, session=session or None, packs=packs, keep=keep)


def session(
    workspace: WorkspaceOption = None,
    watch_parent: Annotated[
        bool, typer.Option("--watch-parent", help="End as soon as standard input ends.")
    ] = False,
) -> None:
    """Hold a session without a notebook, for agents, until Ctrl-C.

    Prints `vcad session ID listening on URL`. Agents of this workspace find it by themselves.
    """
    from notebook_ext.headless import run

    raise typer.Exit(run(project_folder(workspace), watch_parent=watch_parent))


def _wake(folder: Path, session: str | None, packs: Collection[str]) -> None:
    """Have the session load what it serves agents with, while this process does the same."""
    from notebook_ext.agents.proxy.finding import SessionChoice, first
    from notebook_ext.session_records import live_records

    record = first(live_records(), SessionChoice(folder, session))
    if record is not None:
        wake(record, packs)


def wake(record: SessionRecord, packs: Collection[str] = ()) -> None:
    """Have a session's gateway load its tools now, for a client that connects in a second.

    The first request below ``/mcp`` has the kernel import the SDK, which takes as long as this program does
    for itself: at the same time they take that time once. No answer is read, and a session that is not there
    any more is no failure.
    """
    with suppress(OSError, ValueError):  # ValueError: an address that is none
        address = urlsplit(record.url)
        host, port = address.hostname or "", address.port or 0
        request = (
            f"HEAD /mcp?packs={quote(','.join(packs))} HTTP/1.1\r\nHost: {host}:{port}\r\n"
            f"Authorization: Bearer {record.token}\r\nConnection: close\r\n\r\n"
        )
        with socket.create_connection((host, port), _PATIENCE) as gateway:
            gateway.sendall(request.encode("latin-1"))


def project_folder(workspace: Path | None) -> Path:
    """The folder of the project that is meant: the one given, else as the settings and this folder say."""
    from notebook_ext.session.project.workspace import find_workspace
    from vcad_kernel.settings import Settings

    return find_workspace(Path.cwd(), workspace or Settings.load().workspace)
