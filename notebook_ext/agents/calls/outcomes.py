"""What a tool answers: ``{success: true, …}`` or ``{success: false, error, error_code, details}``.

A failure of the model, of SketchUp or of a person who says no is an answer, never an error of the protocol.
Codes from below pass unchanged; one without the details that it must have becomes SCHEMA_VALIDATION_FAILED.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from notebook_ext.display.failure import LoonCellFailed
from vcad_kernel.error_envelope import envelope, internal_error
from vcad_kernel.errors import VcadError
from vcad_kernel.paths import own_folder

if TYPE_CHECKING:
    from pydantic import BaseModel

    from notebook_ext.workspace.files.gate import FileGate

__all__ = ["PICTURE", "TEXT_LIMIT", "Outcome", "Partly", "Pictured", "answer", "cut_texts", "failure"]

TEXT_LIMIT: Final = 64 * 1024
"""Bytes of one text in an answer; more goes to a file, named as ``full_path``."""
PICTURE: Final = "inline_base64"
"""A member of an answer that is no text: half of it is nothing. Whoever gives it sees to its size."""


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


@dataclass(frozen=True, slots=True)
class Partly:
    """What a tool gives that has done some of what it was asked for, and failed at the rest."""

    result: BaseModel
    error: VcadError | LoonCellFailed
    """The first failure."""


def answer(
    given: BaseModel | Pictured | Partly, operation: str, *, files: FileGate, request_id: str
) -> Outcome:
    """The answer of a tool that came to its end.

    operation: the tool's name. files: by which a text that is too long is kept, under the request's id.
    """
    images = given.images if isinstance(given, Pictured) else ()
    result = given.result if isinstance(given, Pictured | Partly) else given
    body = result.model_dump(mode="json", by_alias=True)
    cut = cut_texts(body, files, request_id)
    failed = failure(given.error, operation).body if isinstance(given, Partly) else {}
    return Outcome(not failed, {"success": True, **failed, **body, **cut}, images)


def failure(error: Exception, operation: str) -> Outcome:
    """The answer for what went wrong: as it is said by those below, or a mistake of ours.

    operation: the tool's name, for an error that names none itself.
    """
    if isinstance(error, LoonCellFailed):
        error = error.error
    reported = (
        envelope(error, operation) if isinstance(error, VcadError) else internal_error(error, operation)
    )
    body = {
        "success": False,
        "error": reported["message"],
        "error_code": reported["error_code"],
        # what viewers draw of it would cost an agent thousands of tokens; where it is, the edges' middles say
        "details": {key: said for key, said in reported["details"].items() if key != "failing_lines"},
    }
    return Outcome(False, body)


def cut_texts(body: dict[str, Any], files: FileGate, request_id: str) -> dict[str, Any]:
    """Cut the texts of an answer that are too long, in place. Returns: what says so; {} where none is.

    The file that is named holds the text, or all of the answer where several are cut.
    """
    long = [place for place in _texts(body) if len(place.text.encode()) > TEXT_LIMIT]
    if not long:
        return {}
    if len(long) == 1:
        kept, name = long[0].text, f"{request_id}-{long[0].path}.txt"
    else:
        kept, name = json.dumps(body, ensure_ascii=False, indent=1), f"{request_id}.json"
    path = _kept(kept.encode(), files, name)
    for place in long:
        place.holder[place.key] = place.text.encode()[:TEXT_LIMIT].decode("utf-8", "ignore")
    return {"truncated": True, "full_path": path}


@dataclass(frozen=True, slots=True)
class _Text:
    """A text in an answer, and where it stands."""

    path: str
    holder: Any
    """The object or list that has it."""
    key: Any
    text: str


def _texts(body: Any, path: str = "") -> Iterator[_Text]:
    """The texts of an answer that may be too long."""
    inner = body.items() if isinstance(body, dict) else enumerate(body)
    for key, value in inner:
        place = f"{path}.{key}" if path else str(key)
        if isinstance(value, dict | list):
            yield from _texts(value, place)
        elif key == PICTURE:
            continue
        elif isinstance(value, str) and len(value) > TEXT_LIMIT // 4:  # a letter has four bytes at most
            yield _Text(place, body, key, value)


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
