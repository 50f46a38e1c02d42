"""Loon text from the command line: files, folders, standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from vcad_kernel.loon.source import Source

__all__ = ["ENDINGS", "FileArgument", "ProjectOption", "fail", "loon_files", "project_folder", "source_of"]

ENDINGS = (".oo", ".loon")

FileArgument = Annotated[Path, typer.Argument(help="A Loon file, or - for standard input.", metavar="FILE")]
ProjectOption = Annotated[
    Path | None,
    typer.Option(
        "--project",
        metavar="FOLDER",
        help="The folder that `use` may take files from; by default that of the file.",
        file_okay=False,
        exists=True,
    ),
]


def fail(message: str) -> typer.Exit:
    """Say what is wrong on standard error; to be raised, it ends the command with status 1."""
    typer.echo(message, err=True)
    return typer.Exit(1)


def source_of(file: Path) -> Source:
    """The text of a file under the name that errors call it.

    Raises: typer.Exit when it cannot be read, having said so.
    """
    if str(file) == "-":
        return Source("<stdin>", sys.stdin.read())
    try:
        return Source(str(file), file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as unreadable:
        raise fail(f"cannot read {file}: {unreadable}") from None


def project_folder(file: Path, project: Path | None) -> Path:
    """The folder that a file's modules come from."""
    if project is not None:
        return project
    return Path.cwd() if str(file) == "-" else file.resolve().parent


def loon_files(paths: Sequence[Path]) -> Iterator[Path]:
    """The files named, and all Loon files under the folders named, in order of their names.

    Raises: typer.Exit for a path that does not exist, having said so.
    """
    for path in paths:
        if path.is_dir():
            yield from sorted(
                one
                for one in path.rglob("*")
                if one.suffix in ENDINGS and one.is_file() and not _is_hidden(one.relative_to(path))
            )
        elif str(path) == "-" or path.exists():
            yield path
        else:
            raise fail(f"there is no file {path}")


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
