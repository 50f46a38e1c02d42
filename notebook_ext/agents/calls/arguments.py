"""What the arguments and answers of all tools have in common, and lengths as people write them.

``"2 m"``, ``"6'"``, ``"5' 3 1/2\\""`` and ``"3/4 in"`` become millimetres here and nowhere below.
"""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

__all__ = ["Amount", "Answer", "Arguments", "Changing", "Length", "Point", "amount", "millimetres"]

_UNITS: Final = {
    "": 1.0,
    "mm": 1.0,
    "cm": 10.0,
    "dm": 100.0,
    "m": 1000.0,
    "km": 1e6,
    "µm": 1e-3,
    "um": 1e-3,
    "in": 25.4,
    "inch": 25.4,
    "inches": 25.4,
    '"': 25.4,
    "″": 25.4,
    "ft": 304.8,
    "foot": 304.8,
    "feet": 304.8,
    "'": 304.8,
    "′": 304.8,
    "yd": 914.4,
}
"""Unit → mm."""

_NUMBER = r"(?:\d+(?:\s+|-)\d+\s*/\s*\d+|\d+\s*/\s*\d+|\d*\.?\d+(?:[eE][+-]?\d+)?\.?)"
_PIECE: Final = re.compile(rf"\s*(?P<number>{_NUMBER})\s*(?P<unit>[a-zA-Zµ]+|['\"′″])?(?:\s*-\s*(?=\d))?")
_LONGEST: Final = 64


def millimetres(text: str) -> float:
    """A length with its unit; without one it is in mm. Feet and inches may stand together.

    Raises: ValueError.
    """
    rest = text.strip()
    sign = -1.0 if rest.startswith("-") else 1.0
    rest = rest.removeprefix("-").removeprefix("+")
    total, first = 0.0, True
    while rest.strip() or first:
        piece = _PIECE.match(rest) if len(rest) <= _LONGEST else None
        unit = None if piece is None else _UNITS.get((piece["unit"] or "").lower())
        if piece is None or unit is None or (not first and not piece["unit"]):
            raise _no_length(text)
        total += _number(piece["number"]) * unit
        rest, first = rest[piece.end() :], False
    if not math.isfinite(total):
        raise _no_length(text)
    return sign * total


def _no_length(text: str) -> ValueError:
    return ValueError(f'{text[:_LONGEST]!r} is no length; write 20, "2 m", "6\'" or "3/4 in"')


def _number(text: str) -> float:
    """``"1 1/2"`` is a whole and a fraction; nan where a fraction has none below."""
    whole, slash, below = text.rpartition("/")
    if not slash:
        return float(text)
    *wholes, above = re.split(r"[\s-]+", whole.strip())
    return sum(map(float, wholes)) + float(above) / float(below) if float(below) else math.nan


def _length(given: Any) -> Any:
    if isinstance(given, bool):
        raise ValueError("a length is a number or a text with a unit")  # noqa: TRY004 - pydantic's way
    return millimetres(given) if isinstance(given, str) else given


Length = Annotated[
    float,
    BeforeValidator(_length),
    Field(allow_inf_nan=False),
    WithJsonSchema({"type": ["number", "string"]}, mode="validation"),
]
"""Millimetres; may be given as text with a unit."""

_DEGREES: Final = frozenset({"°", "deg", "degree", "degrees"})
_RADIANS: Final = frozenset({"rad", "radian", "radians"})
_QUANTITY: Final = re.compile(r"\s*(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(?P<unit>.*?)\s*")


def amount(given: float | str, unit: str | None) -> float:
    """A quantity in the unit that it is declared with; a text may have another unit of its kind.

    unit: as the model says it; None where it says none, and a length is then in mm.
    Raises: ValueError.
    """
    if not isinstance(given, str):
        return given
    quantity = _QUANTITY.fullmatch(given) if len(given) <= _LONGEST else None
    plain = None if quantity is None else float(quantity["number"])
    suffix = "" if quantity is None else quantity["unit"]
    if plain is not None and math.isfinite(plain) and suffix in ("", unit):
        return plain
    if unit is None or unit.lower() in _UNITS:
        return millimetres(given) / _UNITS[(unit or "").lower()]
    if unit.lower() in _DEGREES and plain is not None:
        if suffix.lower() in _DEGREES:
            return plain
        if suffix.lower() in _RADIANS:
            return math.degrees(plain)
    raise ValueError(f"{given[:_LONGEST]!r} is not in {unit}")


def _amount(given: Any) -> Any:
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        raise ValueError("a value is a number or a text with a unit")  # noqa: TRY004 - pydantic's way
    if isinstance(given, float) and not math.isfinite(given):
        raise ValueError("a value is a finite number")
    return given


Amount = Annotated[
    int | float | str,
    BeforeValidator(_amount),
    WithJsonSchema({"type": ["number", "string"]}, mode="validation"),
]
"""A quantity in a unit that only what it is for knows; see `amount`."""

Point = Annotated[list[Length], Field(min_length=3, max_length=3)]
"""x, y, z, each a Length."""


class Arguments(BaseModel):
    """What a tool is called with; what it does not know is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Changing(Arguments):
    """Of tools that change something: only if it still is what the agent has seen."""

    expected_revision: int | None = Field(None, ge=0)


class Answer(BaseModel):
    """What a tool gives besides ``success``."""

    model_config = ConfigDict(extra="forbid")
