"""``vcad service`` and ``vcad lsp``: what serves others, for as long as it is wanted."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from vcad_kernel.cli.sources import fail

__all__ = ["service"]


def service(
    host: Annotated[str | None, typer.Option(help="Address to listen on (VCAD_HOST).")] = None,
    port: Annotated[
        int | None, typer.Option(help="Port to listen on; 0 takes a free one (VCAD_PORT).")
    ] = None,
    workspace: Annotated[
        Path | None, typer.Option(help="Folder that all files must lie in; by default the client's choice.")
    ] = None,
    temp_dir: Annotated[Path | None, typer.Option(help="Folder of artifacts (VCAD_TEMP_DIR).")] = None,
    token_stdin: Annotated[
        bool, typer.Option("--token-stdin", help="Read the token from the first line of standard input.")
    ] = False,
    watch_parent: Annotated[
        bool, typer.Option("--watch-parent", help="End as soon as standard input ends.")
    ] = False,
    log: Annotated[Path | None, typer.Option(help="File for the log; by default standard error.")] = None,
    allow_worker_plugin: Annotated[bool, typer.Option("--allow-worker-plugin", hidden=True)] = False,
) -> None:
    """Serve evaluations to notebooks, until it is ended.

    Prints `vcad service listening on HOST:PORT`. A token comes from VCAD_AUTH_TOKEN or standard input, never
    from the command line, which others can read. Ends in good order on SIGTERM and SIGINT.
    """
    from vcad_kernel.service.front.lifetime import ServiceOptions, run, token_from
    from vcad_kernel.settings import Settings

    settings = Settings.load(
        {
            "VCAD_HOST": host,
            "VCAD_PORT": port,
            "VCAD_TEMP_DIR": temp_dir,
            "VCAD_AUTH_TOKEN": token_from() if token_stdin else None,
        }
    )
    raise typer.Exit(run(settings, ServiceOptions(workspace, watch_parent, allow_worker_plugin), log))


def lsp() -> None:
    """Serve an editor on standard input and output: findings, completion, hover, rename, layout."""
    if find_spec("pygls") is None:
        raise fail("the language server needs pygls: pip install 'vcad-workbench[lsp]'")
    from vcad_kernel.lsp.server import main

    main()
