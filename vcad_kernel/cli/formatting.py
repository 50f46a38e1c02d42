"""``vcad fmt``: lay Loon files out."""

from __future__ import annotations

import difflib
import json
from codecs import BOM_UTF8
from pathlib import Path
from typing import Annotated

import typer

from vcad_kernel.cli.sources import failure_row, loon_files, source_of
from vcad_kernel.errors import ExportError, VcadError
from vcad_kernel.system.files import replace_files

__all__ = ["format_files"]


def format_files(
    paths: Annotated[
        list[Path], typer.Argument(help="Files, folders, or - for standard input.", metavar="PATH…")
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit with 1 if a file would change.")
    ] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what would change; change nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for tools.")] = False,
) -> None:
    """Lay out Loon files as the formatter does, in place; comments and the spelling of strings stay.

    Standard input goes to standard output. A file that cannot be read as Loon, or cannot be written, is
    left as it is and makes the exit status 1.
    """
    from vcad_kernel.loon.printing.formatter import format_source

    if diff and as_json:
        raise typer.BadParameter("it is for people; leave --diff away", param_hint="--json")
    changed: list[str] = []
    failed: list[dict[str, str]] = []
    report: dict[str, object] = {"changed": changed, "failed": failed}
    for path in loon_files(paths):
        from_input = str(path) == "-"
        try:
            source = source_of(path)
            text = format_source(source.text, name=source.name)
            if text != source.text and not (check or diff or from_input):
                _replace(path, text)
        except VcadError as error:
            failed.append(failure_row(path, error))
            typer.echo(error.render(), err=True)
            continue
        if text != source.text:
            changed.append(source.name)
        if diff:
            typer.echo("".join(_difference(source.name, source.text, text)), nl=False)
        elif from_input and as_json:
            report["text"] = text
        elif from_input and not check:
            typer.echo(text, nl=False)
    if as_json:
        typer.echo(json.dumps(report))
    elif not diff:
        for name in changed:
            typer.echo(f"{'would change' if check else 'laid out'} {name}", err=not check)
    if failed or (changed and (check or diff)):
        raise typer.Exit(1)


def _difference(name: str, before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), name, name
    )
    return [line if line.endswith("\n") else line + "\n" for line in lines]


def _replace(path: Path, text: str) -> None:
    """Write a file whole or not at all; a link stays a link to the file that is replaced.

    Line ends, and a mark of the encoding at the beginning, are as they were.
    Raises: ExportError.
    """
    target = path.resolve()
    try:
        before = target.read_bytes()
        data = text.encode("utf-8")
        if before.partition(b"\n")[0].endswith(b"\r"):
            data = data.replace(b"\n", b"\r\n")
        if before.startswith(BOM_UTF8):
            data = BOM_UTF8 + data
        replace_files({target: data})
    except OSError as error:
        raise ExportError(f"cannot write {path}: {error.strerror}", code="unwritable-file") from None
