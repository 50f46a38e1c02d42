"""Which text a request means, and where it may look for modules and files.

The front has checked every path; they are opened here under the path policy once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.errors import ServiceFailure
from vcad_kernel.loon.source import Source
from vcad_kernel.paths import Workspace
from vcad_kernel.service.worker.job import Job

__all__ = ["ProgramText", "base_folder", "given_text", "meant_text"]


@dataclass(frozen=True, slots=True)
class ProgramText:
    """A program and its surroundings."""

    source: Source
    base: Path | None
    """The folder of modules and imported files; None lets none be used."""
    folder: Path | None = None
    """Where its modules are looked for first, where it is a file."""


def base_folder(job: Job, arguments: Mapping[str, Any] | None = None) -> Path | None:
    """The folder that a request wants its files from: the workspace where it does not say.

    arguments: those that say it, by default the request's own.
    Raises: PathRefused.
    """
    given = job.arguments if arguments is None else arguments
    if "base_dir" not in given:
        return job.workspace
    text = given["base_dir"]
    if text is None or job.workspace is None:
        return None
    return Workspace(job.workspace).resolve(str(text))


def given_text(job: Job, text: str, name: str = "<code>") -> ProgramText:
    """A text that came with the request. Raises: PathRefused."""
    return ProgramText(Source(name, text), base_folder(job))


def meant_text(job: Job, text: str) -> ProgramText:
    """The file of a request, or, where it has none, the text itself.

    Raises: PathRefused, FileMissing, FileTooLarge; ServiceFailure for a file that is no text.
    """
    if job.script is None:
        return given_text(job, text)
    if job.workspace is None:
        raise ServiceFailure(
            ErrorCode.PATH_NOT_ALLOWED,
            f"{str(job.script)!r} cannot be read: the connection has no workspace",
            details={"path": str(job.script), "workspace": None},
        )
    files = Workspace(job.workspace)
    name = files.relative(str(job.script))
    return ProgramText(
        Source(name, _decoded(files.read(name), name)),
        base_folder(job) or files.root,
        files.resolve(name).parent,
    )


def _decoded(data: bytes, name: str) -> str:
    """Text of UTF-8, with or without a mark that says so, and with line ends of any system."""
    try:
        return TextIOWrapper(BytesIO(data), encoding="utf-8-sig").read()
    except UnicodeDecodeError as error:
        raise ServiceFailure(
            ErrorCode.NOT_TEXT,
            f"cannot read {name}: byte {error.start + 1} is not UTF-8 text",
            fix="save the file as UTF-8",
            details={"path": name},
        ) from None
