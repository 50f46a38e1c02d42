"""Loon forms: what the reader makes, macros rewrite and the compiler lowers.

``start`` and ``end`` are offsets into the text of the chunk that the form was read from (see Chunk);
a form made by a macro template carries the extent of the macro call. Equality ignores them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

__all__ = [
    "DEEPEST",
    "BoolLit",
    "Chunk",
    "FloatLit",
    "Form",
    "IntLit",
    "Interpolation",
    "KeywordLit",
    "ListForm",
    "MapForm",
    "Quasi",
    "ReadChunk",
    "Sequence",
    "SetForm",
    "StringLit",
    "Symbol",
    "TupleForm",
    "Unquote",
    "UnquoteSplicing",
    "VectorForm",
    "is_constructor",
    "is_operation",
]


@dataclass(frozen=True, slots=True)
class Form:
    """Base of all forms."""

    start: int = field(compare=False)
    end: int = field(compare=False)


@dataclass(frozen=True, slots=True)
class Symbol(Form):
    """A name."""

    name: str


@dataclass(frozen=True, slots=True)
class IntLit(Form):
    """An integer within 64 bits."""

    value: int


@dataclass(frozen=True, slots=True)
class FloatLit(Form):
    """A float."""

    value: float


@dataclass(frozen=True, slots=True)
class BoolLit(Form):
    """``true`` or ``false``."""

    value: bool


@dataclass(frozen=True, slots=True)
class StringLit(Form):
    """Text without interpolation, escapes resolved."""

    value: str


@dataclass(frozen=True, slots=True)
class Interpolation(Form):
    """A string with expressions in it: what ``[str part …]`` gives, whatever ``str`` is bound to."""

    parts: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class KeywordLit(Form):
    """A keyword; ``name`` is without the colon."""

    name: str


@dataclass(frozen=True, slots=True)
class ListForm(Form):
    """``[…]``: a call, a special form, or unit when empty."""

    items: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class VectorForm(Form):
    """``#[…]``."""

    items: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class SetForm(Form):
    """``#{…}``."""

    items: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class MapForm(Form):
    """``{…}``: keys and values in turn, so the count is even."""

    items: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class TupleForm(Form):
    """``(…)``."""

    items: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Quasi(Form):
    """A backquoted form, the template of a macro."""

    form: Form


@dataclass(frozen=True, slots=True)
class Unquote(Form):
    """``~form``."""

    form: Form


@dataclass(frozen=True, slots=True)
class UnquoteSplicing(Form):
    """``~@form``."""

    form: Form


Sequence: TypeAlias = ListForm | VectorForm | SetForm | MapForm | TupleForm
"""The forms that hold other forms in brackets."""


def is_constructor(name: str) -> bool:
    """Whether a symbol is written like a constructor."""
    return "A" <= name[:1] <= "Z"


def is_operation(name: str) -> bool:
    """Whether a head performs an operation of an effect, such as ``Fail.fail``."""
    return is_constructor(name) and "." in name


DEEPEST = 500
"""Brackets and quotes that may be open at once."""


class Chunk(NamedTuple):
    """A stretch of a source: its text, its offset, and the line and column (from 1) it begins at.

    One top-level form, or a few that stand so close that they can be separated only together
    (``1e3``). A tuple, because an edit moves all chunks below it and tuples are the cheapest to make.
    """

    text: str
    start: int
    line: int
    column: int


class ReadChunk(NamedTuple):
    """A chunk and its forms, whose offsets count from the chunk's beginning."""

    chunk: Chunk
    forms: tuple[Form, ...]
