"""Plain values across the border between Python and a Loon program, in both directions.

Only plain data crosses: numbers, strings, booleans, None, lists, tuples, dicts with string keys.
`to_plain` takes a copy of it at the moment the cell runs, so that replaying the cell later gives it
what it had then; `to_loon` turns the copy into Loon values, and `from_loon` goes the other way.
`outline` is for who only wants to know what kind of value it is, and cannot wait or fail.
"""

from __future__ import annotations

import re
from typing import Any

from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import LoonTypeError
from vcad_kernel.loon.runtime.collections import Map, Vector
from vcad_kernel.loon.runtime.values import UNIT, Keyword

__all__ = ["NotPlainError", "from_loon", "known_of", "outline", "to_loon", "to_plain"]


class NotPlainError(ValueError):
    """A Loon value that has no counterpart among Python's plain data."""


_KEYWORD = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]*\Z")

_FEW = 1000
"""Items of a value that an outline looks at; turning so many into Loon values takes about a millisecond."""

_DEEPEST = 100
"""Levels of lists and dicts that a value may have; whatever works on one later goes down as many."""

_UNKNOWN = object()
"""Stands for a value of which nothing is known."""


def to_plain(value: Any, name: str) -> Any:
    """A copy as pure Python data; numpy scalars and arrays become the data they hold.

    name: what the value is called, for the error.
    Raises: LoonTypeError for anything that is not plain data.
    """
    return _plain(value, name, _DEEPEST)


def _plain(value: Any, name: str, levels: int) -> Any:
    """levels: how many more there may be."""
    if not levels:
        raise LoonTypeError(
            f"`{name}` holds itself, or has too many levels",
            code="type",
            fix=f"pass data of at most {_DEEPEST} levels",
        )
    if hasattr(value, "tolist"):  # numpy scalars and arrays, without importing numpy
        value = value.tolist()
    if value is None or isinstance(value, bool):
        return value
    for kind in (str, float):
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise LoonTypeError(f"`{name}` holds {value}, which does not fit a 64-bit integer", code="type")
        return int(value)
    if isinstance(value, list | tuple):
        items = [_plain(item, name, levels - 1) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {_checked_key(key, name): _plain(item, name, levels - 1) for key, item in value.items()}
    raise LoonTypeError(
        f"`{name}` is a Python {type(value).__name__}, which Loon cannot take",
        code="type",
        fix="pass numbers, strings, booleans, lists, tuples, or dicts with string keys",
    )


def _checked_key(key: Any, name: str) -> str:
    """A dict's key becomes a keyword, the way Loon code asks for it: ``[get m :width]``."""
    if isinstance(key, str) and _KEYWORD.match(key):
        return str(key)
    raise LoonTypeError(
        f"`{name}` has the key {key!r}, which is no Loon keyword",
        code="type",
        fix="use keys of letters, digits, - and _ that begin with a letter or _",
    )


def to_loon(value: Any, name: str) -> object:
    """The Loon value of a Python one. Raises: LoonTypeError as `to_plain` does."""
    return _loon(to_plain(value, name))


def _loon(plain: Any) -> object:
    if plain is None:
        return UNIT
    if isinstance(plain, list):
        return Vector(_loon(item) for item in plain)
    if isinstance(plain, tuple):
        return tuple(_loon(item) for item in plain)
    if isinstance(plain, dict):
        return Map((Keyword(key), _loon(item)) for key, item in plain.items())
    return plain


def outline(value: Any, name: str) -> object:
    """The Loon value of a Python one, or, of one that is large or that Loon cannot take, an unknown."""
    if _is_large(value):
        return _UNKNOWN
    try:
        return to_loon(value, name)
    except LoonTypeError:
        return _UNKNOWN


def known_of(cell: CellSource) -> dict[str, object]:
    """What is known of the names that a cell is given."""
    return {name: outline(value, name) for name, value in cell.bindings.items()}


def _is_large(value: Any) -> bool:
    """Whether there are more than a few items in a value, in all its levels; looks at no more than those."""
    seen = 0
    pending = [value]
    while pending:
        part = pending.pop()
        size = getattr(part, "size", 1)  # a numpy array's number of items
        seen += size if isinstance(size, int) else 1
        if isinstance(part, list | tuple | dict):
            if len(part) > _FEW:
                return True
            pending.extend(part.values() if isinstance(part, dict) else part)
        if seen > _FEW:
            return True
    return False


def from_loon(value: object) -> Any:
    """The Python value of a Loon one: numbers, strings, booleans, lists, tuples, dicts, None for unit.

    A keyword is its name; a map needs keys that are keywords or strings.
    Raises: NotPlainError for functions, variants, sets and whatever holds one, and for data of so many
    levels that Python cannot walk it.
    """
    try:
        return _from_loon(value)
    except RecursionError:
        raise NotPlainError("data of too many levels") from None


def _from_loon(value: object) -> Any:
    if value is UNIT:
        return None
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Keyword):
        return value.name
    if isinstance(value, Vector):
        return [_from_loon(item) for item in value]
    if isinstance(value, tuple):
        return tuple(_from_loon(item) for item in value)
    if isinstance(value, Map):
        return {_text_key(key): _from_loon(item) for key, item in value.items()}
    raise NotPlainError(type(value).__name__)


def _text_key(key: object) -> str:
    if isinstance(key, Keyword):
        return key.name
    if isinstance(key, str):
        return key
    raise NotPlainError("a map with keys that are no text")
