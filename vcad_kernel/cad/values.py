"""How messages call a program's values."""

from __future__ import annotations

import math

from vcad_kernel.loon.runtime.collections import Map, Set, Vector
from vcad_kernel.loon.runtime.values import UNIT, Adt, Keyword
from vcad_kernel.operations.library import VARIANTS

__all__ = ["described", "number_text"]


def number_text(number: float) -> str:
    """A number as messages write it."""
    if math.isnan(number):
        return "NaN"
    return f"{number:g}"


def described(value: object) -> str:
    """A value in a few words, however large it is."""
    if value is UNIT:
        return "nothing, ()"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {number_text(value)}"
    if isinstance(value, str):
        return f'the text "{value}"' if len(value) <= 40 else f'the text "{value[:37]}…"'
    if isinstance(value, Keyword):
        return f"the keyword :{value.name}"
    if isinstance(value, Adt):
        known = VARIANTS.get(value.tag)
        return f"a {known.name}" if known is not None else f"the value {value.tag}"
    for kind, words in ((Vector, "a vector"), (Map, "a map"), (Set, "a set"), (tuple, "a tuple")):
        if isinstance(value, kind):
            return words
    return "a function" if callable(value) else f"a {type(value).__name__}"
