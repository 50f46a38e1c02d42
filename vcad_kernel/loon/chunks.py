"""Cut Loon text into the stretches that can be read one by one.

A chunk is one top-level form, or a few that stand so close that only the grammar can part them
(``1e3``). Cutting takes one regular expression; reading a chunk takes the grammar, which is some
fifteen times slower, so what has been read is kept by the chunk's text and an edited cell costs
what was edited. Chunks end only at brackets, strings, blanks and comments, which end tokens too;
a property test holds the chunks to the grammar's reading of the whole text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["DEEPEST", "Chunk", "TooDeepError", "cut"]

DEEPEST = 500
"""Brackets and quotes that may be open at once."""

_TOKEN = re.compile(
    r"""
      (?P<blank>  [ \t\r\n]+ | ;[^\n]* )
    | (?P<string> "(?:[^"\\]|\\.)*" )
    | (?P<open>   \#[\[{] | [\[({] )
    | (?P<close>  [\])}] )
    | (?P<quote>  ~@ | [`~] )
    | (?P<postfix> \? )
    | (?P<atom>   [^ \t\r\n;"\[\](){}`~\#?] [^ \t\r\n;"\[\](){}`~\#]* )
    """,
    re.VERBOSE | re.DOTALL,
)

_CLOSER = {"[": "]", "#[": "]", "{": "}", "#{": "}", "(": ")"}


class TooDeepError(Exception):
    """More than DEEPEST brackets are open at ``offset``."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a source: its text, its offset, and the line and column (from 1) it begins at."""

    text: str
    start: int
    line: int
    column: int


def cut(text: str) -> list[Chunk] | None:
    """The chunks of ``text``, or None when its brackets or strings do not match up.

    Raises: TooDeepError.
    """
    extents: list[list[int]] = []
    closers: list[str] = []
    quotes = 0  # quote marks waiting for their form, at the current level
    begun = -1  # where the top-level form under way began
    at = 0
    match = _TOKEN.match
    length = len(text)
    while at < length:
        token = match(text, at)
        if token is None:
            return None
        kind = token.lastgroup
        start, at = at, token.end()
        if kind == "blank":
            continue
        if kind == "open":
            if not closers and begun < 0:
                begun = start
            closers.append(_CLOSER[token.group()])
            if len(closers) + quotes > DEEPEST:
                raise TooDeepError(start)
            continue
        if kind == "close":
            if not closers or closers.pop() != token.group():
                return None
        elif kind == "quote":
            quotes += 1
            if len(closers) + quotes > DEEPEST:
                raise TooDeepError(start)
            if not closers and begun < 0:
                begun = start
            continue
        elif kind == "postfix" and not closers:
            if not extents or begun >= 0:
                return None
            extents[-1][1] = at
            continue
        quotes = 0
        if not closers:
            extents.append([start if begun < 0 else begun, at])
            begun = -1
    if closers or begun >= 0:
        return None
    return _placed(text, extents)


def _placed(text: str, extents: list[list[int]]) -> list[Chunk]:
    chunks = []
    line, line_start = 1, 0
    seen = 0
    for start, end in extents:
        fresh = text.count("\n", seen, start)
        if fresh:
            line += fresh
            line_start = text.rfind("\n", seen, start) + 1
        seen = start
        chunks.append(Chunk(text[start:end], start, line, start - line_start + 1))
    return chunks
