"""What a reader makes of a token, and its word for text that it cannot read.

Shared by the fast reader and the grammar's, so that they cannot differ in it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from vcad_kernel.loon.syntax import FloatLit, Form, IntLit, ListForm, Symbol

__all__ = ["ReadFault", "float_literal", "int_literal", "propagation"]

_MOST_DIGITS = 24
"""Longer numerals are out of range in any case and need not be computed."""


@dataclass
class ReadFault(Exception):
    """Text that cannot be read: offsets into the text that was given to the reader."""

    code: str
    message: str
    start: int
    end: int
    fix: str | None = None


def int_literal(start: int, end: int, text: str) -> IntLit:
    """The integer that ``text`` spells, perhaps with a suffix such as ``u64``.

    Raises: ReadFault when it does not fit in 64 bits.
    """
    digits = text.partition("i")[0].partition("u")[0]
    value = int(digits) if len(digits) < _MOST_DIGITS else 1 << 64
    if not -(1 << 63) <= value < 1 << 63:
        raise ReadFault(
            "E0103",
            f"the number {text} does not fit in 64 bits",
            start,
            end,
            "ints go from -9223372036854775808 to 9223372036854775807; add .0 if a float will do",
        )
    return IntLit(start, end, value)


def float_literal(start: int, end: int, text: str) -> FloatLit:
    """The float that ``text`` spells, perhaps with a suffix such as ``f32``.

    Raises: ReadFault when it is beyond all floats.
    """
    value = float(text.partition("f")[0])
    if math.isinf(value):
        raise ReadFault("E0103", f"the number {text} is beyond the largest float, 1.8e308", start, end)
    return FloatLit(start, end, value)


def propagation(subject: Form, end: int) -> ListForm:
    """``E?``: the value of an ``Ok``, or ``Fail.fail`` with what an ``Err`` holds (§3.4).

    end: where the ``?`` ends.
    """
    extent = (subject.start, end)

    def name(text: str) -> Symbol:
        return Symbol(*extent, text)

    def form(*items: Form) -> ListForm:
        return ListForm(*extent, items)

    return form(
        name("match"),
        subject,
        form(name("Ok"), name("__v")),
        name("__v"),
        form(name("Err"), name("__e")),
        form(name("Fail.fail"), name("__e")),
    )
