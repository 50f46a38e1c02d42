"""The command's root: options before any subcommand, and the list of subcommands.

What needs the notebook's side is brought by it: an entry point of the group ``vcad.commands`` names a tuple
of functions, each the subcommand of its name. None is looked for before it is wanted.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from functools import cached_property
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup

from vcad_kernel.cli import (
    checking,
    configuration,
    doctor,
    documentation,
    evaluation,
    formatting,
    serving,
    tests,
)
from vcad_kernel.cli.sketchup import sketchup
from vcad_kernel.settings import SettingError

if TYPE_CHECKING:
    from typer._click import Command, Context

__all__ = ["app", "main"]


class _Commands(TyperGroup):
    """The subcommands of this package, and those that are brought, before the settings in the list."""

    @cached_property
    def _brought(self) -> dict[str, Callable[..., object]]:
        from importlib.metadata import entry_points  # a fifth of the time that the help takes

        points = entry_points(group="vcad.commands")
        return {command.__name__: command for point in points for command in point.load()}

    def list_commands(self, ctx: Context) -> list[str]:
        """Their names, as the help lists them."""
        names = super().list_commands(ctx)
        at = names.index("doctor")
        return [*names[:at], *self._brought, *names[at:]]

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """The subcommand of this name; None where there is none."""
        own = super().get_command(ctx, cmd_name)
        if own is not None or cmd_name not in self._brought:
            return own
        single = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        single.command(cmd_name)(self._brought[cmd_name])
        return typer.main.get_command(single)


app = typer.Typer(
    name="vcad",
    cls=_Commands,
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
app.command()(serving.lsp)
app.command()(serving.service)
app.command()(doctor.doctor)
app.command()(configuration.config)
app.add_typer(sketchup.app, name="sketchup")


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
            if not sys.stdout.closed:  # a language server closes it when it leaves
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
