r"""What the text between two quotes is made of (§2.1): plain stretches, escapes, ``{code}``.

Escapes come first and may make braces and quotes, so each piece knows where in the raw text its
characters came from. Tolerant: a brace that closes nothing and code that is never closed are
pieces too; who needs them right says what is wrong. Knows nothing of forms or tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["Piece", "PieceKind", "pieces", "placed"]

PieceKind = Literal["text", "escape", "open", "code", "close", "stray"]
"""stray: a ``}`` that closes nothing."""

_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "{": "{", "}": "}"}

_ESCAPED = re.compile(r"\\([\s\S])")
_SIMPLE = re.compile(r'\\[nt\\"{}]|(?:[^\\]+|\\(?![nt\\"{}]))+')
_BRACED = re.compile(r"\{\{|\}\}|[{}]|[^{}]+")
_BRACE = re.compile(r"[{}]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a string's raw text; start and end are offsets into that."""

    kind: PieceKind
    start: int
    end: int
    text: str
    """What it stands for: of an escape the character, of code the Loon text without escapes."""
    origins: Sequence[int] = ()
    """Of code: where each character of ``text``, and its end, lies in the raw text."""
    closed: bool = True
    """Of code: whether a ``close`` follows."""


def pieces(raw: str) -> Iterator[Piece]:
    """The pieces of the text between two quotes, in order; none when it is empty."""
    if "{" not in raw:
        for piece in _SIMPLE.finditer(raw):
            part = piece.group()
            if part[0] == "\\" and part[1:] in _ESCAPES:
                yield Piece("escape", *piece.span(), _ESCAPES[part[1:]])
            else:
                yield Piece("text", *piece.span(), part)
        return
    text, origins = _unescaped(raw)
    at = 0
    while at < len(text):
        end = _BRACED.match(text, at).end()  # type: ignore[union-attr]  # it matches any character
        part = text[at:end]
        if part == "{":
            close = _matching(text, at)
            code_end = len(text) if close < 0 else close
            yield Piece("open", origins[at], origins[end], part)
            yield Piece(
                "code",
                origins[end],
                origins[code_end],
                text[end:code_end],
                origins[end : code_end + 1],
                close >= 0,
            )
            at = code_end
            if close >= 0:
                at += 1
                yield Piece("close", origins[close], origins[at], "}")
            continue
        if part == "}":
            yield Piece("stray", origins[at], origins[end], part)
        elif part in ("{{", "}}"):
            yield Piece("escape", origins[at], origins[end], part[0])
        else:
            yield from _plain(raw, text, origins, at, end)
        at = end


def _plain(raw: str, text: str, origins: Sequence[int], start: int, end: int) -> Iterator[Piece]:
    """A stretch without braces, cut at its escapes."""
    begun = start
    for at in range(start, end) if "\\" in raw else ():
        if origins[at + 1] - origins[at] == 2:
            if begun < at:
                yield Piece("text", origins[begun], origins[at], text[begun:at])
            yield Piece("escape", origins[at], origins[at + 1], text[at])
            begun = at + 1
    if begun < end:
        yield Piece("text", origins[begun], origins[end], text[begun:end])


def _unescaped(raw: str) -> tuple[str, Sequence[int]]:
    """The text after the escapes, and where each of its characters, and its end, lies in ``raw``.

    An escaped brace becomes two, which the second pass reads as a plain one. An escape that means
    nothing stays as it is written.
    """
    if "\\" not in raw:
        return raw, range(len(raw) + 1)
    out: list[str] = []
    origins: list[int] = []
    at = 0
    for escape in _ESCAPED.finditer(raw):
        start = escape.start()
        out.append(raw[at:start])
        origins.extend(range(at, start))
        at = escape.end()
        following = escape.group(1)
        meant = _ESCAPES.get(following)
        if meant is None:
            out.append(escape.group())
            origins.extend((start, start + 1))
        elif following in "{}":
            out.append(meant * 2)
            origins.extend((start, start))
        else:
            out.append(meant)
            origins.append(start)
    out.append(raw[at:])
    origins.extend(range(at, len(raw) + 1))
    return "".join(out), origins


def _matching(text: str, opener: int) -> int:
    """Where the brace at ``opener`` is closed; -1 when nowhere."""
    depth = 0
    for brace in _BRACE.finditer(text, opener):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return brace.start()
    return -1


def placed(origins: Sequence[int], within: Sequence[int]) -> Sequence[int]:
    """``origins`` looked up in ``within``: where characters lie in the text around."""
    if isinstance(origins, range) and isinstance(within, range) and len(origins):
        return within[origins[0] : origins[-1] + 1]
    return [within[origin] for origin in origins]
