"""A text as forms, whatever state it is in, and the small questions one asks of forms.

A text is cut into *sections* before the lines that begin with a bracket, and each is parsed by itself and
kept by its text: so an edit costs what was edited, and a half-typed form, or a quote that is never closed,
spoils its own section and no other. A section whose brackets do not match up is taken together with the
ones below it when that makes it whole, which is how a form with a bracket at the beginning of a line
stays in one piece.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from vcad_kernel.loon.reading.concrete import Node, parse
from vcad_kernel.loon.reading.tokens import BRACKETS, LEXICON

__all__ = [
    "COLLECTIONS",
    "INTERPOLATED",
    "KEYWORD",
    "LIST",
    "MAP",
    "SET",
    "SYMBOL",
    "TUPLE",
    "Expected",
    "Section",
    "headed",
    "inner_end",
    "is_whole",
    "keywords_in",
    "parsed",
    "parts",
    "sections",
    "usage_of",
]

SYMBOL, KEYWORD, LIST = "symbol", "keyword", "list"
VECTOR, SET, MAP, TUPLE = "vector", "set", "map", "tuple"
INTERPOLATED = "interpolated"
COLLECTIONS = frozenset({VECTOR, SET, MAP, TUPLE})

Expected = Literal[
    "nothing", "head", "operand", "pattern", "name", "module", "export", "type", "keyword", "key"
]
"""What may stand at a place: ``nothing`` in comments and strings; ``name`` where a new name is made up;
``key`` a field's name without its colon."""

_PAIRED = re.compile(
    "|".join((LEXICON["comment"], LEXICON["string"], LEXICON["open"], LEXICON["close"], '"'))
)
_BEGINS = re.compile(r"^(?=[\[({]|#[\[{])", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of a text that is parsed by itself; what is in it counts from its start."""

    start: int
    text: str

    @property
    def tree(self) -> Node:
        """Its forms."""
        return parsed(self.text)


def sections(text: str) -> list[Section]:
    """The sections of a text; joined they are the text."""
    if not text:
        return [Section(0, "")]
    starts = [begins.start() for begins in _BEGINS.finditer(text)]
    if not starts or starts[0] != 0:
        starts.insert(0, 0)
    starts.append(len(text))
    out = []
    at, last = 0, len(starts) - 1
    while at < last:
        begin, end = starts[at], starts[at + 1]
        if not is_whole(text[begin:end]):
            end = _end_of_whole(text, begin, starts[at + 2 :]) or end
        out.append(Section(begin, text[begin:end]))
        at = bisect_left(starts, end)
    return out


@lru_cache(maxsize=4096)
def is_whole(text: str) -> bool:
    """Whether the brackets and strings of a text match up."""
    return _end_of_whole(text, 0, [len(text)]) is not None


def _end_of_whole(text: str, begin: int, ends: Sequence[int]) -> int | None:
    """The first of some ends up to which the brackets and strings match up; None when none is so."""
    waiting: list[str] = []
    left = iter(ends)
    end = next(left, None)
    for bracket in _PAIRED.finditer(text, begin):
        while end is not None and end <= bracket.start():
            if not waiting:
                return end
            end = next(left, None)
        if end is None:
            return None
        mark = bracket.group()
        if mark in BRACKETS:
            waiting.append(BRACKETS[mark])
        elif mark in "])}":
            if not waiting or waiting.pop() != mark:
                return None
        elif mark == '"':
            return None
        while end is not None and end < bracket.end():
            end = next(left, None)  # it lies in a string
    return end if not waiting else None


@lru_cache(maxsize=2048)
def parsed(text: str) -> Node:
    """The tree of a section's text."""
    return parse(text)


@lru_cache(maxsize=2048)
def keywords_in(text: str) -> tuple[str, ...]:
    """The keywords that a section's text uses, as often as it does."""
    if ":" not in text:
        return ()
    return tuple(leaf.text for leaf in parsed(text).leaves() if leaf.kind == KEYWORD)


def parts(node: Node) -> Sequence[Node]:
    """The forms in a node, without brackets, blanks and comments."""
    return node.forms()


def headed(node: Node, name: str) -> bool:
    """Whether a node is a list that begins with this symbol."""
    return node.head() == name


def inner_end(node: Node) -> int:
    """Where the inside of a bracketed node ends: before its closer, or with it when there is none."""
    return node.end - 1 if node.closed else node.end


def usage_of(name: str, parameters: Node | None = None) -> str:
    """How a function is called: ``[name a b]``."""
    given = parts(parameters) if parameters is not None and parameters.kind == LIST else ()
    return f"[{' '.join((name, *(' '.join(parameter.spelling().split()) for parameter in given)))}]"
