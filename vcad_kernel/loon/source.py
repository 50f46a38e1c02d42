"""A piece of Loon text and where things stand in it.

Everything here counts in code points: offsets from 0, lines and columns from 1. Who needs bytes
converts at the edge. Knows nothing of forms or code.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import TypeAlias

from vcad_kernel.errors import Place
from vcad_kernel.loon.recent import Recent

__all__ = ["CodeSite", "Source", "SourceName", "Span", "lines_of", "place_in_code"]


def lines_of(text: str) -> list[int]:
    """Offsets at which the lines of ``text`` begin; the first is always 0."""
    starts = [0]
    end = text.find("\n")
    while end >= 0:
        starts.append(end + 1)
        end = text.find("\n", end + 1)
    return starts


class Source:
    """A named text. ``internal`` marks library text, which errors and call sites look through."""

    __slots__ = ("_line", "_starts", "internal", "name", "tag", "text")

    def __init__(self, name: str, text: str, *, internal: bool = False) -> None:
        self.name = name
        self.text = text
        self.internal = internal
        self.tag = SourceName(name)
        self.tag.source = self
        self._starts: list[int] | None = None
        self._line = (0, "")
        """The line that was asked for last, whose text many places share."""

    def __repr__(self) -> str:
        return f"Source({self.name!r}, {len(self.text)} characters)"

    @property
    def starts(self) -> list[int]:
        """Where the lines begin."""
        if self._starts is None:
            self._starts = lines_of(self.text)
        return self._starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """Offset of a line and column."""
        return self.starts[line - 1] + column - 1

    def line_text(self, line: int) -> str:
        """One line without its newline; empty when there is no such line."""
        kept, text = self._line
        if kept == line:
            return text
        starts = self.starts
        if not 1 <= line <= len(starts):
            return ""
        stop = starts[line] - 1 if line < len(starts) else len(self.text)
        text = self.text[starts[line - 1] : stop].rstrip("\r")
        self._line = line, text
        return text


class SourceName(str):
    """A file name that remembers its text.

    Code objects carry it as their file name. So a function made by an earlier version of a cell
    still shows its own text in errors, for exactly as long as the function lives.
    """

    __slots__ = ("source",)

    source: Source


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a source, end exclusive."""

    source: Source
    start: int
    end: int

    def place(self) -> Place:
        """The stretch for people."""
        line, column = self.source.position(self.start)
        end_line, end_column = self.source.position(max(self.start, self.end))
        return Place(self.source.name, line, column, end_line, end_column, self.source.line_text(line))


def place_in_code(code: CodeType, instruction: int) -> Place | None:
    """Where in its source the instruction at byte offset ``instruction`` comes from.

    None for code that is not compiled Loon, or when Python was set to drop positions.
    """
    name = code.co_filename
    if not isinstance(name, SourceName):
        return None
    source = name.source
    positions = _positions(code)
    at = instruction // 2
    line, end_line, column, end_column = positions[at] if at < len(positions) else (None,) * 4
    if line is None:
        return None
    text = source.line_text(line)
    if column is None or end_line is None or end_column is None:
        return Place(source.name, line, 1, line, len(text) + 1, text)
    return Place(source.name, line, column + 1, end_line, end_column + 1, text)


_Position: TypeAlias = tuple[int | None, int | None, int | None, int | None]
_read_lately: Recent[int, tuple[CodeType, tuple[_Position, ...]]] = Recent(100_000)
"""The positions of codes, by identity, which stays their own because the codes are kept with them."""


def _positions(code: CodeType) -> tuple[_Position, ...]:
    """Where each instruction of a code comes from: reading that is as long as the code is."""
    known = _read_lately.get(id(code))
    if known is None:
        known = code, tuple(code.co_positions())
        _read_lately.keep(id(code), known, len(known[1]))
    return known[1]


class CodeSite(tuple[CodeType, int]):
    """A place in compiled Loon, resolved only when asked: (code, byte offset of instruction).

    A tuple, because one is made for every solid a user builds and tuples are the cheapest to make.
    """

    __slots__ = ()

    @classmethod
    def of(cls, frame: FrameType) -> CodeSite:
        """Where ``frame`` stands now."""
        return cls((frame.f_code, frame.f_lasti))

    def place(self) -> Place | None:
        """The stretch of source, or None when positions were dropped."""
        return place_in_code(self[0], self[1])
