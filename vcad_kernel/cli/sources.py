"""Loon text from the command line: files, folders, standard input."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer

from vcad_kernel.errors import VcadError
from vcad_kernel.loon.source import Source
from vcad_kernel.paths import IMPORTED

__all__ = [
    "ENDINGS",
    "FileArgument",
    "ProjectOption",
    "bytes_of",
    "fail",
    "failure_row",
    "loon_files",
    "project_folder",
    "source_of",
]

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


def fail(message: str, *, code: str = "", tells_tools: bool = False) -> typer.Exit:
    """Say what is wrong on standard error; to be raised, it ends the command with status 1.

    tells_tools: also as a JSON object on standard output, with ``code``.
    """
    if tells_tools:
        typer.echo(json.dumps({"code": code, "message": message}))
    typer.echo(message, err=True)
    return typer.Exit(1)


def source_of(file: Path) -> Source:
    """The text of a file under the name that errors call it.

    Raises: VcadError with code ``unreadable-file``.
    """
    if str(file) == "-":
        return Source("<stdin>", _text("standard input", sys.stdin.buffer.read()))
    imported_by = IMPORTED.get(file.suffix.lower())
    if imported_by is not None:
        held = "a drawing" if file.suffix.lower() in (".svg", ".dxf") else "bodies"
        error = _unreadable(str(file), f"it holds {held}, and no program")
        error.fix = f'write a model that takes one in: [{imported_by} "{file.name}"]'
        raise error
    return Source(str(file), _text(str(file), bytes_of(file)))


def bytes_of(file: Path) -> bytes:
    """The bytes of a file. Raises: VcadError with code ``unreadable-file``."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise _unreadable(str(file), error.strerror or str(error)) from None


def _text(name: str, data: bytes) -> str:
    """Text of UTF-8, with or without a mark that says so, and with line ends of any system."""
    try:
        return TextIOWrapper(BytesIO(data), encoding="utf-8-sig").read()
    except UnicodeDecodeError as error:
        raise _unreadable(name, f"byte {error.start + 1} is not UTF-8 text") from None


def _unreadable(name: str, reason: str) -> VcadError:
    return VcadError(f"cannot read {name}: {reason}", code="unreadable-file", details={"file": name})


def failure_row(file: Path, error: VcadError) -> dict[str, str]:
    """What tools read of a file that cannot be read or written."""
    return {"file": str(file), "code": error.code, "message": error.message}


def project_folder(file: Path, project: Path | None) -> Path:
    """The folder that a file's modules come from."""
    if project is not None:
        return project
    return Path.cwd() if str(file) == "-" else file.resolve().parent


def loon_files(paths: Sequence[Path]) -> Iterator[Path]:
    """The files named, and all Loon files under the folders named, in order of their names."""
    for path in paths:
        if _is_folder(path):
            yield from sorted(
                file
                for file in path.rglob("*")
                if file.suffix in ENDINGS and file.is_file() and not _is_hidden(file.relative_to(path))
            )
        else:
            yield path


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False  # reading it will say what is wrong


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
