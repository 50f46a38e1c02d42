"""The command's root: options before any subcommand, and the list of subcommands."""

from __future__ import annotations

import errno
import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer

from vcad_kernel.cli import (
    approve,
    checking,
    configuration,
    documentation,
    editing,
    evaluation,
    formatting,
    mcp,
    service_command,
    sessions,
    sketchup,
    tests,
)
from vcad_kernel.settings import SettingError

__all__ = ["app", "main"]

app = typer.Typer(
    name="vcad",
    help="Solid modelling in Loon, from the command line.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

app.command()(evaluation.run)
app.command()(checking.check)
app.command("fmt")(formatting.format_files)
app.command("test")(tests.run_test_files)
app.command()(evaluation.repl)
app.command()(documentation.explain)
app.command()(documentation.doc)
app.command()(editing.lsp)
app.command()(service_command.service)
app.command()(mcp.mcp)
app.command()(mcp.session)
app.command()(sessions.sessions)
app.add_typer(sketchup.app, name="sketchup")
app.command()(approve.approve)
app.command()(configuration.config)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> None:
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"vcad-workbench {installed('vcad-workbench')}")
        raise typer.Exit


def main() -> None:
    """Entry point of the console script."""
    _prepare_streams()
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except SettingError as wrong:
        typer.echo(f"Error: {wrong}", err=True)
        sys.exit(2)
    except OSError as error:
        if error.errno not in _OUTPUT_LOST:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still to be flushed at exit goes there
        if not isinstance(error, BrokenPipeError):
            typer.echo(f"cannot write the output: {error.strerror}", err=True)
        sys.exit(1)


_OUTPUT_LOST = (errno.ENOSPC, errno.EPIPE, errno.EIO)
"""What writing to standard output fails with: a full disk, a reader that is gone."""


def _prepare_streams() -> None:
    """Have every stream, also where the caller closed it, and let no character be too much for it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 for as long as we run
            setattr(sys, name, stream)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
