"""Builtins on strings; indices count code points from 0."""

from __future__ import annotations

import re
from typing import Any

from vcad_kernel.loon.printing.display import raw
from vcad_kernel.loon.runtime.builtins.registry import builtin
from vcad_kernel.loon.runtime.collections import Vector
from vcad_kernel.loon.runtime.faults import fault, type_fault
from vcad_kernel.loon.runtime.limits.allowance import allowed_size
from vcad_kernel.loon.runtime.limits.limits import check_size
from vcad_kernel.loon.runtime.values import Keyword

__all__ = ["concatenate", "room"]


def _string(operation: str, value: Any, what: str = "a string") -> str:
    if type(value) is not str:
        raise type_fault(operation, what, value)
    return value


def _index(operation: str, value: Any) -> int:
    if type(value) is not int:
        raise type_fault(operation, "an int as position", value)
    return value


@builtin("str")
def concatenate(*parts: object) -> str:
    """The parts' display forms joined, strings bare."""
    text = "".join([raw(part) for part in parts])
    check_size("str", len(text))
    return text


def room(length: int) -> int:
    """Where a growing text that is so long by now must be looked at again.

    Raises: LoonRuntimeError when it is too long already.
    """
    check_size("str", length)
    return min(max(1000, 2 * length), allowed_size())


@builtin("fmt")
def fmt(*parts: object) -> str:
    """The same as str; interpolation has happened already."""
    return concatenate(*parts)


@builtin("split")
def split(text: object, delimiters: object, *_surplus: object) -> Vector:
    """Cut at every character that ``delimiters`` holds; empty pieces stay."""
    whole, cuts = _string("split", text), _string("split", delimiters, "a string of delimiters")
    if not cuts:
        return Vector([whole])
    return Vector(re.split(f"[{re.escape(cuts)}]", whole))


@builtin("join")
def join(separator: object, items: object, *_surplus: object) -> str:
    """The items' display forms with the separator between; also as [join items separator]."""
    if isinstance(separator, Vector):
        separator, items = items, separator
    if not isinstance(items, Vector):
        raise type_fault("join", "a string and a vector", items)
    gap, pieces = _string("join", separator), [raw(item) for item in items]
    check_size("join", sum(map(len, pieces)) + len(gap) * max(0, len(pieces) - 1))
    return gap.join(pieces)


@builtin("trim")
def trim(text: object, *_surplus: object) -> str:
    """Without blanks at the ends."""
    return _string("trim", text).strip()


@builtin("uppercase")
def uppercase(text: object, *_surplus: object) -> str:
    """In capitals."""
    return _string("uppercase", text).upper()


@builtin("lowercase")
def lowercase(text: object, *_surplus: object) -> str:
    """In small letters."""
    return _string("lowercase", text).lower()


@builtin("replace")
def replace(text: object, old: object, new: object, *_surplus: object) -> str:
    """With every occurrence of ``old`` replaced."""
    whole, cut, put = _string("replace", text), _string("replace", old), _string("replace", new)
    if len(put) > len(cut):
        check_size("replace", len(whole) + whole.count(cut) * (len(put) - len(cut)))
    return whole.replace(cut, put)


@builtin("starts-with?")
def starts_with(text: object, prefix: object, *_surplus: object) -> bool:
    """Whether the text begins with the prefix."""
    return _string("starts-with?", text).startswith(_string("starts-with?", prefix))


@builtin("ends-with?")
def ends_with(text: object, suffix: object, *_surplus: object) -> bool:
    """Whether the text ends with the suffix."""
    return _string("ends-with?", text).endswith(_string("ends-with?", suffix))


@builtin("char-at")
def char_at(text: object, position: object, *_surplus: object) -> str:
    """The character at a position."""
    whole, at = _string("char-at", text), _index("char-at", position)
    if not 0 <= at < len(whole):
        raise fault("index", f"char-at {at} is outside a string of {len(whole)} characters")
    return whole[at]


@builtin("substring")
def substring(text: object, start: object, end: object, *_surplus: object) -> str:
    """The characters from ``start`` up to but excluding ``end``."""
    whole = _string("substring", text)
    first, last = _index("substring", start), _index("substring", end)
    if not 0 <= first <= last <= len(whole):
        raise fault("index", f"substring {first} to {last} is outside a string of {len(whole)} characters")
    return whole[first:last]


@builtin("index-of")
def index_of(text: object, part: object, *_surplus: object) -> int:
    """Where ``part`` first occurs, or -1."""
    return _string("index-of", text).find(_string("index-of", part))


@builtin("name")
def name(value: object, *_surplus: object) -> str:
    """A keyword's text without its colon; a string as it is."""
    if isinstance(value, Keyword):
        return value.name
    return _string("name", value, "a keyword or a string")
