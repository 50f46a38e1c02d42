"""``vcad approve``: a person answers in a terminal what agents ask in a running session."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["approve"]


def approve(
    watch: Annotated[bool, typer.Option("--watch", help="Go on until Ctrl-C.")] = False,
    session: Annotated[
        str | None,
        typer.Option(
            envvar="VCAD_SESSION",
            help="Which session: its id, its kernel's id or its notebook's name (VCAD_SESSION).",
        ),
    ] = None,
    workspace: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="Folder of the project; by default the current one."),
    ] = None,
) -> None:
    """Answer what agents ask: show what waits, and approve or reject it here.

    Without --watch: what waits now. While --watch runs, agents' questions wait for it although no notebook
    shows them; each without an answer in its time is a no.
    """
    from notebook_ext.cli.answering import answer_now, answer_while_watching
    from notebook_ext.cli.asking_session import AskingSession

    asking = AskingSession(workspace or Path.cwd(), session or None)
    raise typer.Exit(answer_while_watching(asking) if watch else answer_now(asking))
