"""The open texts, as the editor's changes leave them.

Lines end as the protocol says, at ``\\n``, ``\\r\\n`` and ``\\r`` only: a form feed or a line separator
within a string is no line's end, though Python's ``splitlines`` takes it for one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from vcad_kernel.loon.analysis.utf16 import Utf16

__all__ = ["Change", "OpenDocument", "OpenDocuments"]


@dataclass(frozen=True, slots=True)
class Change:
    """New text in place of a stretch, given as (line, column) from 0 in UTF-16; or of everything."""

    text: str
    start: tuple[int, int] | None = None
    end: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """One version of an open text."""

    uri: str
    version: int | None
    units: Utf16 = field(compare=False)

    @property
    def text(self) -> str:
        """All of it."""
        return self.units.text

    def changed(self, change: Change, version: int | None) -> OpenDocument:
        """The document after a change."""
        text = change.text
        if change.start is not None and change.end is not None:
            start = self.units.offset(*change.start)
            end = max(start, self.units.offset(*change.end))
            text = self.text[:start] + text + self.text[end:]
        return OpenDocument(self.uri, version, Utf16(text))


class OpenDocuments:
    """All open documents, by URI."""

    def __init__(self) -> None:
        self._open: dict[str, OpenDocument] = {}

    def open(self, uri: str, text: str, version: int | None) -> OpenDocument:
        """A document is opened, or opened again."""
        self._open[uri] = OpenDocument(uri, version, Utf16(text))
        return self._open[uri]

    def change(self, uri: str, changes: list[Change], version: int | None) -> OpenDocument | None:
        """Changes are made one after the other; None when no such document is open."""
        document = self._open.get(uri)
        if document is None:
            return None
        for change in changes:
            document = document.changed(change, version)
        self._open[uri] = document
        return document

    def close(self, uri: str) -> None:
        """A document is closed; what is on disk counts again."""
        self._open.pop(uri, None)

    def get(self, uri: str) -> OpenDocument | None:
        """An open document."""
        return self._open.get(uri)

    def __iter__(self) -> Iterator[OpenDocument]:
        return iter(list(self._open.values()))
