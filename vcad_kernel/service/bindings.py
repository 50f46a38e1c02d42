"""Plain values across the border between Python and a Loon program, in both directions.

Only plain data crosses: numbers, strings, booleans, None, lists, tuples, dicts with string keys.
`to_plain` takes a copy of it at the moment the cell runs, so that replaying the cell later gives it
what it had then; `to_loon` turns the copy into Loon values, and `from_loon` goes the other way.
"""

from __future__ import annotations

import re
from typing import Any

from vcad_kernel.errors import LoonTypeError
from vcad_kernel.loon.runtime.collections import Map, Vector
from vcad_kernel.loon.runtime.values import UNIT, Keyword

__all__ = ["NotPlainError", "from_loon", "to_loon", "to_plain"]


class NotPlainError(ValueError):
    """A Loon value that has no counterpart among Python's plain data."""


_KEYWORD = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]*\Z")


def to_plain(value: Any, name: str) -> Any:
    """A copy as pure Python data; numpy scalars and arrays become the data they hold.

    name: what the value is called, for the error.
    Raises: LoonTypeError for anything that is not plain data.
    """
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
        items = [to_plain(item, name) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {_checked_key(key, name): to_plain(item, name) for key, item in value.items()}
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


def from_loon(value: object) -> Any:
    """The Python value of a Loon one: numbers, strings, booleans, lists, tuples, dicts, None for unit.

    A keyword is its name; a map needs keys that are keywords or strings.
    Raises: NotPlainError for functions, variants, sets and whatever holds one.
    """
    if value is UNIT:
        return None
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Keyword):
        return value.name
    if isinstance(value, Vector):
        return [from_loon(item) for item in value]
    if isinstance(value, tuple):
        return tuple(from_loon(item) for item in value)
    if isinstance(value, Map):
        return {_text_key(key): from_loon(item) for key, item in value.items()}
    raise NotPlainError(type(value).__name__)


def _text_key(key: object) -> str:
    if isinstance(key, Keyword):
        return key.name
    if isinstance(key, str):
        return key
    raise NotPlainError("a map with keys that are no text")
