"""Text files behind the gate: read as UTF-8, and written so that their line endings and mark stay.

file = read_text(gate, "plate.loon", operation="read_file")
rewrite(gate, file, file.text + "[box 1 2 3]\\n", operation="write_file", expect_sha256=file.sha256)
"""

from __future__ import annotations

import codecs
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from notebook_ext.workspace.files.gate import FileGate
from notebook_ext.workspace.files.slices import in_style, style_of
from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["TextFile", "create", "read_text", "require_unchanged", "rewrite", "text_to_change"]

_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text file as it was read or written."""

    path: Path
    """Its real path."""
    shown: str
    """From the workspace, with ``/``."""
    text: str
    """Without the mark; line endings as they are."""
    bom: bool
    """Whether it begins with the mark that says UTF-8."""
    sha256: str
    """Of its bytes, hexadecimal; "" of a file that is not there yet."""
    data: bytes

    @property
    def exists(self) -> bool:
        """Whether it was there."""
        return bool(self.sha256)


def read_text(gate: FileGate, text: str, *, operation: str) -> TextFile:
    """The text of a file. text: its path, as an agent writes it.

    Raises: PathRefused; FileMissing; NOT_A_FILE; FileTooLarge; NOT_TEXT for what is not UTF-8.
    """
    path = gate.file(text, operation=operation)
    return _text_file(gate, path, gate.read(path, operation=operation), operation)


def text_to_change(gate: FileGate, text: str, *, operation: str) -> TextFile:
    """The text of a file that is to be written; an empty one where there is none yet.

    Raises: as `read_text`.
    """
    path = gate.path(text, operation=operation)
    if os.path.lexists(path):
        return read_text(gate, text, operation=operation)
    return TextFile(path, gate.shown(path), "", False, "", b"")


def _text_file(gate: FileGate, path: Path, data: bytes, operation: str) -> TextFile:
    shown = gate.shown(path)
    bom = data.startswith(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as bad:
        raise ServiceFailure(
            ErrorCode.NOT_TEXT,
            f"{shown!r} is no UTF-8 text: byte {bad.start + 1} cannot be read",
            details={"path": shown, "operation": operation},
        ) from None
    return TextFile(path, shown, text, bom, hashlib.sha256(data).hexdigest(), data)


def rewrite(
    gate: FileGate,
    file: TextFile,
    text: str,
    *,
    operation: str,
    expect_sha256: str | None = None,
    as_it_is: bool = False,
) -> TextFile:
    """Give a file that was read another text, at once; its mark stays.

    text: where it has only ``\\n``, it is given the file's line endings. as_it_is: its endings are right.
    expect_sha256: of the file as its writer has seen it.
    Raises: ServiceFailure REVISION_CONFLICT when the file is another one by now; what the gate raises.
    """
    require_unchanged(file, expect_sha256, operation=operation)
    if "\r" not in text and not as_it_is:
        text = in_style(text, style_of(file.text))
    if file.exists and _bytes_now(gate, file, operation) != file.data:
        raise _conflict(file.shown, file.sha256, None, operation)
    text = text.removeprefix(_MARK) if file.bom else text
    data = (codecs.BOM_UTF8 if file.bom else b"") + text.encode()
    if file.exists and gate.persons.lost(file.path, file.data, data):
        gate.keep(file.path, file.data, operation=operation)
    gate.write(file.path, data, operation=operation, new=not file.exists)
    gate.persons.left(file.path, file.data, data)
    return _text_file(gate, file.path, data, operation)


def create(gate: FileGate, text: str, content: str, *, operation: str) -> TextFile:
    """Write a file that is not there yet. text: its path. Raises: ServiceFailure FILE_EXISTS; the gate's."""
    path = gate.path(text, operation=operation)
    data = content.encode()
    gate.write(path, data, operation=operation, new=True)
    gate.persons.left(path, b"", data)
    return _text_file(gate, path, data, operation)


def require_unchanged(file: TextFile, expect_sha256: str | None, *, operation: str) -> None:
    """Do nothing if the file is the one that was seen. Raises: ServiceFailure REVISION_CONFLICT."""
    if expect_sha256 is not None and expect_sha256.lower() != file.sha256:
        raise _conflict(file.shown, expect_sha256, file.sha256 or None, operation)


def _bytes_now(gate: FileGate, file: TextFile, operation: str) -> bytes | None:
    return gate.read(file.path, operation=operation) if os.path.lexists(file.path) else None


def _conflict(shown: str, expected: str, current: str | None, operation: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.REVISION_CONFLICT,
        f"{shown!r} is not what you have read: it was changed since; nothing was written",
        fix="read the file again, and decide anew",
        details={
            "node_id": None,
            "path": shown,
            "expected": expected,
            "current": current,
            "operation": operation,
        },
    )
