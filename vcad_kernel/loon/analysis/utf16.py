"""Positions as editors count them.

Editors count UTF-16 code units, and split lines at ``\\n``, ``\\r\\n`` and ``\\r``; the rest of this
package counts code points. Lines and columns here are from 0.
"""

from __future__ import annotations

import re
from bisect import bisect_right

__all__ = ["Utf16"]

_LINE_END = re.compile(r"\r\n|\r|\n")


class Utf16:
    """One text, counted in UTF-16 code units, or in lines and columns of such units."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._ascii = text.isascii()
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def from_points(self, offset: int) -> int:
        """The code units that the first code points of the text take."""
        offset = max(0, min(offset, len(self.text)))
        return offset if self._ascii else offset + _wide(self.text[:offset])

    def to_points(self, units: int) -> int:
        """The code points that the first code units of the text hold."""
        return max(0, min(units, len(self.text))) if self._ascii else _points(self.text, units)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset in code points."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        return line, offset - start + (0 if self._ascii else _wide(self.text[start:offset]))

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column; beyond a line's end it is that, beyond the text its end."""
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self.text)
        start = self._starts[line]
        last = line + 1 == len(self._starts)
        body = self.text[start:] if last else self.text[start : self._starts[line + 1]].rstrip("\r\n")
        return start + _points(body, column)


def _wide(text: str) -> int:
    """The code points of a text that take two code units."""
    return sum(letter > "\uffff" for letter in text)


def _points(text: str, units: int) -> int:
    seen = 0
    for offset, letter in enumerate(text):
        if seen >= units:
            return offset
        seen += 2 if letter > "\uffff" else 1
    return len(text)
