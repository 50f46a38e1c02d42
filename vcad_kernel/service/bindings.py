"""Python values on their way into a Loon program.

Only plain data crosses: numbers, strings, booleans, None, lists, tuples, dicts with string keys.
"""

from __future__ import annotations

import re
from typing import Any

from vcad_kernel.errors import LoonTypeError
from vcad_kernel.loon.runtime.collections import Map, Vector
from vcad_kernel.loon.runtime.values import UNIT, Keyword

__all__ = ["to_loon"]

_KEYWORD = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]*\Z")


def to_loon(value: Any, name: str) -> object:
    """The Loon value of a Python one; numpy scalars and arrays count as the data they hold.

    name: what the value is called, for the error.
    Raises: LoonTypeError for anything that is not plain data.
    """
    if value is None:
        return UNIT
    if isinstance(value, (bool, str)):
        return value
    if hasattr(value, "tolist"):  # numpy scalars and arrays, without importing numpy
        value = value.tolist()
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise LoonTypeError(f"`{name}` holds {value}, which does not fit a 64-bit integer", code="type")
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, list):
        return Vector(to_loon(item, name) for item in value)
    if isinstance(value, tuple):
        return tuple(to_loon(item, name) for item in value)
    if isinstance(value, dict):
        return Map((_key(key, name), to_loon(item, name)) for key, item in value.items())
    raise LoonTypeError(
        f"`{name}` is a Python {type(value).__name__}, which Loon cannot take",
        code="type",
        fix="pass numbers, strings, booleans, lists, tuples, or dicts with string keys",
    )


def _key(key: Any, name: str) -> Keyword:
    """A dict's string key as a keyword, the way Loon code asks for it: ``[get m :width]``."""
    if isinstance(key, str) and _KEYWORD.match(key):
        return Keyword(key)
    raise LoonTypeError(
        f"`{name}` has the key {key!r}, which is no Loon keyword",
        code="type",
        fix="use keys of letters, digits, - and _ that begin with a letter or _",
    )
