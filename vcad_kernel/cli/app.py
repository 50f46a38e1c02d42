"""The command's root: options before any subcommand, and the list of subcommands."""

from __future__ import annotations

from typing import Annotated

import typer

from vcad_kernel.cli import checking, documentation, editing, evaluation, formatting, tests

__all__ = ["app", "main"]

app = typer.Typer(
    name="vcad",
    help="Solid modelling in Loon, from the command line.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

app.command()(evaluation.run)
app.command()(checking.check)
app.command("fmt")(formatting.format_files)
app.command("test")(tests.run_test_files)
app.command()(evaluation.repl)
app.command()(documentation.explain)
app.command()(documentation.doc)
app.command()(editing.lsp)


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
    app()
