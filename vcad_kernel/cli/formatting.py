"""``vcad fmt``: lay Loon files out."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Annotated

import typer

from vcad_kernel.cli.sources import loon_files, source_of
from vcad_kernel.errors import LoonSyntaxError

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

    Standard input goes to standard output. A file that cannot be read as Loon is left as it is and makes
    the exit status 1.
    """
    from vcad_kernel.loon.formatter import format_source

    changed: list[str] = []
    unreadable: list[dict[str, object]] = []
    for path in loon_files(paths):
        source = source_of(path)
        try:
            text = format_source(source.text, name=source.name)
        except LoonSyntaxError as error:
            unreadable.append({"file": source.name, "code": error.code, "message": error.message})
            typer.echo(error.render(), err=True)
            continue
        if text != source.text:
            changed.append(source.name)
        if diff:
            typer.echo("".join(_difference(source.name, source.text, text)), nl=False)
        elif str(path) == "-" and not check:
            typer.echo(text, nl=False)
        elif text != source.text and not check:
            _replace(path, text)
    if as_json:
        typer.echo(json.dumps({"changed": changed, "unreadable": unreadable}))
    elif not diff:
        for name in changed:
            typer.echo(f"{'would change' if check else 'laid out'} {name}", err=not check)
    if unreadable or (changed and (check or diff)):
        raise typer.Exit(1)


def _difference(name: str, before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), name, name
    )
    return [line if line.endswith("\n") else line + "\n" for line in lines]


def _replace(path: Path, text: str) -> None:
    """Write a file whole or not at all; a link stays a link to the file that is replaced."""
    target = path.resolve()
    fresh = target.with_name(target.name + ".vcad-new")
    try:
        fresh.write_text(text, encoding="utf-8", newline="")
        fresh.chmod(target.stat().st_mode)
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)
