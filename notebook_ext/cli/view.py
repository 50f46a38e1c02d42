"""``vcad view``: the parts of a session in a browser window, and a file's part without any notebook."""

from __future__ import annotations

import json
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, Request, build_opener

import typer

from notebook_ext.cli.mcp import WorkspaceOption, project_folder

if TYPE_CHECKING:
    from notebook_ext.session_records import SessionRecord

__all__ = ["view"]

_PATIENCE: Final = 120.0
"""Seconds in which a running session evaluates a file."""


def view(
    file: Annotated[
        Path | None, typer.Argument(help="A file to show (.oo, .loon); without one, what the session has.")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Follow the changes of the file.")] = False,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open a browser; else the link is printed.")
    ] = True,
    workspace: WorkspaceOption = None,
    session: Annotated[
        str | None,
        typer.Option(envvar="VCAD_SESSION", help="Which session: its id, or its notebook's name."),
    ] = None,
) -> None:
    """Show parts in a browser window: those of the running notebook, or of a file.

    With a file, a running session of its project shows it, too. Without one, the command holds a session of
    its own until Ctrl-C, until a notebook of the project is opened, or until 30 s after the last window.
    """
    from notebook_ext.agents.proxy.finding import SessionChoice, first
    from notebook_ext.session_records import live_records
    from vcad_kernel.errors import VcadError

    try:
        target = None if file is None else file.absolute()
        folder = project_folder(workspace if target is None or workspace else target.parent)
        record = first(live_records(), SessionChoice(folder, session or None))
        if target is None:
            _show_running(record, browser=browser)
        elif record is not None:
            _join(record, target, browser=browser)
        else:
            _hold(folder, target, watch=watch, browser=browser)
    except VcadError as failed:
        typer.echo(f"Error: {failed.render()}", err=True)
        raise typer.Exit(1) from None


def _show_running(record: SessionRecord | None, *, browser: bool) -> None:
    if record is None:
        typer.echo(
            "Error: no session runs in this project; run a %loon cell in a notebook, or name a file: "
            "vcad view part.oo",
            err=True,
        )
        raise typer.Exit(1)
    _open(_link(record), browser=browser)


def _link(record: SessionRecord) -> str:
    from notebook_ext.session_records import viewer_url
    from vcad_kernel.errors import CapabilityUnavailable

    if not record.viewer_token:
        raise CapabilityUnavailable(
            "that session is of an earlier version, which has no viewer",
            fix="restart its notebook's kernel",
            details={"required_capability": "viewer", "negotiated_capabilities": []},
        )
    return viewer_url(record.url, record.viewer_token)


def _open(link: str, *, browser: bool) -> None:
    typer.echo(link)
    if browser and not webbrowser.open(link):
        typer.echo("no browser could be opened; follow the link", err=True)


def _join(record: SessionRecord, file: Path, *, browser: bool) -> None:
    """Have a running session show a file. Raises: VcadError."""
    from vcad_kernel.errors import ErrorCode, ServiceFailure

    request = Request(
        f"{record.url}/viewer/parts",
        data=json.dumps({"file": str(file)}).encode(),
        headers={"Authorization": f"Bearer {record.token}", "Content-Type": "application/json"},
        method="POST",
    )
    try:
        # the session is on this machine, whatever proxy the rest of the world needs
        with build_opener(ProxyHandler({})).open(request, timeout=_PATIENCE):
            pass
    except HTTPError as refused:
        with refused:
            body = json.load(refused)
        typer.echo(f"Error: {body['error']}", err=True)
        raise typer.Exit(1) from None
    except (URLError, OSError) as failed:
        raise ServiceFailure(
            ErrorCode.SESSION_UNAVAILABLE,
            f"the session does not answer: {failed}",
            fix="`vcad sessions` lists those that run",
            details={"operation": "view"},
        ) from None
    _open(_link(record), browser=browser)


def _hold(folder: Path, file: Path, *, watch: bool, browser: bool) -> None:
    """Show a file until no viewer is left. Raises: VcadError."""
    from notebook_ext.display.failure import LoonCellFailed
    from notebook_ext.headless import ended_by_signal
    from notebook_ext.viewer.shells import program
    from notebook_ext.viewing import run

    program()  # without it there is nothing to be opened
    try:
        notebook = run(
            folder, file, lambda link: _open(link, browser=browser), ended_by_signal(), watch=watch
        )
    except LoonCellFailed as failed:
        raise failed.error from None
    if notebook is not None:
        typer.echo(f"{notebook.notebook or 'a notebook'} has been opened and shows it from now on", err=True)
        _join(notebook, file, browser=browser)
