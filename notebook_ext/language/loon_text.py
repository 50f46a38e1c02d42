"""Where Loon text stands in a notebook cell: below a ``%%loon`` line, or after ``%loon`` on a line.

Works on the text alone, as a front end sends it, finished or not. Offsets count code points.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["LoonText", "loon_cell", "loon_text_at"]

_CELL = re.compile(r"\s*%%loon(?!\S)(?P<head>[^\n]*)(?:\n|\Z)")
_LINE = re.compile(r"\s*(?:[\w.,\[\]' ]+=\s*)?%loon[ \t](?P<text>.*)\Z")


@dataclass(frozen=True, slots=True)
class LoonText:
    """A stretch of Loon in a cell, and the options before it."""

    text: str
    start: int
    """Offset of ``text`` in the cell."""
    head: str = ""
    """What follows ``%%loon`` on its line; empty for a line magic."""
    head_start: int = 0

    def in_head(self, offset: int) -> bool:
        """Whether an offset of the cell is among the options."""
        return self.head_start <= offset <= self.head_start + len(self.head)


def loon_cell(cell: str) -> LoonText | None:
    """The Loon text of a ``%%loon`` cell, or None for any other cell."""
    match = _CELL.match(cell)
    if match is None:
        return None
    return LoonText(cell[match.end() :], match.end(), match["head"], match.start("head"))


def loon_text_at(cell: str, offset: int) -> LoonText | None:
    """The Loon text that an offset is in, or None: it is Python there, or on the magic's own name."""
    whole = loon_cell(cell)
    if whole is not None:
        return whole if offset >= whole.head_start else None
    start = cell.rfind("\n", 0, offset) + 1
    stop = cell.find("\n", offset)
    match = _LINE.match(cell[start:] if stop < 0 else cell[start:stop])
    if match is None or offset < start + match.start("text"):
        return None
    return LoonText(match["text"], start + match.start("text"))
