"""The ``vcad`` command: models from a terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from vcad_kernel.errors import VcadError

__all__ = ["app", "main"]

app = typer.Typer(
    name="vcad",
    help="Solid modelling in Loon, from the command line.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> None:
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"vcad-workbench {installed('vcad-workbench')}")
        raise typer.Exit


@app.command()
def run(
    file: Annotated[Path, typer.Argument(help="A Loon file, or - for standard input.", metavar="FILE")],
    output: Annotated[
        list[Path] | None,
        typer.Option("--output", "-o", metavar="FILE", help="Also write a file: .stl .obj .dae .glb .3mf"),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option("--tolerance", "-t", min=1e-6, metavar="MM", help="Chord error of curved faces, mm."),
    ] = None,
) -> None:
    """Evaluate a Loon file and print its figures, or its value when it is no geometry.

    Exit status 1 when the program or a file fails; the diagnostic goes to standard error.
    """
    from vcad_kernel.service.direct import DirectService
    from vcad_kernel.service.export import export
    from vcad_kernel.service.summary import result_line, warning_line

    try:
        source = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as unreadable:
        typer.echo(f"cannot read {file}: {unreadable}", err=True)
        raise typer.Exit(1) from None
    name = "<stdin>" if str(file) == "-" else str(file)
    try:
        result = DirectService().eval_code(
            source, file=name, tolerance=tolerance, allow_scene=True, output=sys.stdout.write
        )
        for path in output or []:
            export(path, result, tolerance=tolerance)
    except VcadError as error:
        typer.echo(error.render(), err=True)
        raise typer.Exit(1) from None
    for warning in result.warnings:
        typer.echo(warning_line(warning), err=True)
    line = result_line(_title(file), result)
    if line is not None:
        typer.echo(line)


def _title(file: Path) -> str:
    """What the part of a file is called: ``bracket`` for bracket.oo and bracket.cmp.oo."""
    return "part" if str(file) == "-" else file.name.split(".")[0]


def main() -> None:
    """Entry point of the console script."""
    app()
