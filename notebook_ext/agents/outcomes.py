"""What a tool answers: ``{success: true, …}`` or ``{success: false, error, error_code, details}``.

A failure of the model, of SketchUp or of a person who says no is an answer, never an error of the protocol.
Codes from below pass unchanged; one without the details that it must have becomes SCHEMA_VALIDATION_FAILED.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from notebook_ext.failure import LoonCellFailed
from vcad_kernel.error_envelope import envelope, internal_error
from vcad_kernel.errors import VcadError
from vcad_kernel.paths import own_folder

if TYPE_CHECKING:
    from pydantic import BaseModel

    from notebook_ext.workspace.gate import FileGate

__all__ = ["TEXT_LIMIT", "Outcome", "Pictured", "failure", "success"]

TEXT_LIMIT: Final = 64 * 1024
"""Bytes of one text in an answer; more goes to a file, named as ``full_path``."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer to one call."""

    success: bool
    body: dict[str, Any]
    """Has ``success``; plain JSON."""
    images: tuple[bytes, ...] = ()
    """PNG pictures, which go beside the text."""


@dataclass(frozen=True, slots=True)
class Pictured:
    """What a tool gives that has pictures beside its result."""

    result: BaseModel
    images: tuple[bytes, ...]
    """PNG."""


def success(given: BaseModel | Pictured, *, files: FileGate, request_id: str) -> Outcome:
    """The answer of a tool that did what it was asked for.

    files: by which a text that is too long is kept, under the wish's id.
    """
    result, images = (given.result, given.images) if isinstance(given, Pictured) else (given, ())
    body = result.model_dump(mode="json", by_alias=True)
    cut = _cut(body, files, request_id)
    return Outcome(True, {"success": True, **body, **cut}, images)


def failure(error: Exception, operation: str) -> Outcome:
    """The answer for what went wrong: as it is said by those below, or a mistake of ours.

    operation: the tool's name, for an error that names none itself.
    """
    if isinstance(error, LoonCellFailed):
        error = error.error
    told = envelope(error, operation) if isinstance(error, VcadError) else internal_error(error, operation)
    body = {
        "success": False,
        "error": told["message"],
        "error_code": told["error_code"],
        "details": told["details"],
    }
    return Outcome(False, body)


def _cut(body: dict[str, Any], files: FileGate, request_id: str) -> dict[str, Any]:
    """Cut the texts of an answer that are too long, in place. Returns: what says so; {} where none is."""
    said: dict[str, Any] = {}
    for name, value in body.items():
        if not isinstance(value, str) or len(value) <= TEXT_LIMIT // 4:
            continue
        encoded = value.encode()
        if len(encoded) <= TEXT_LIMIT:
            continue
        body[name] = encoded[:TEXT_LIMIT].decode("utf-8", "ignore")
        said["truncated"] = True
        kept = _kept(encoded, files, f"{request_id}-{name}.txt")
        if kept is not None:
            said["full_path"] = kept
    return said


def _kept(data: bytes, files: FileGate, name: str) -> str | None:
    """The file, from the workspace, that holds all of a text; None where none can be written."""
    try:
        own_folder(files.workspace)
        place = str(files.workspace / ".vcad" / "artifacts" / "answers" / name)
        path = files.path(place, operation="full_path")
        files.write(path, data, operation="full_path")
    except (OSError, VcadError):
        return None
    return files.shown(path)
