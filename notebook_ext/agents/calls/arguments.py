"""What the arguments and answers of all tools have in common, their check, and lengths as people write them.

``"2 m"``, ``"6'"``, ``"5' 3 1/2\\""`` and ``"3/4 in"`` become millimetres here and nowhere below.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema

from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

__all__ = [
    "Amount",
    "Answer",
    "Arguments",
    "Changing",
    "Length",
    "Point",
    "amount",
    "checked_arguments",
    "millimetres",
    "without_nulls",
]

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


# ---- the arguments of a call: as the tool's model wants them, or a refusal that says how they must be ----


_MOST: Final = 5
"""Mistakes that one answer lists."""


def without_nulls(model: type[BaseModel], raw: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that are given: what may be left out may also be null, as many clients send it."""
    fields = model.model_fields
    return {
        name: value
        for name, value in raw.items()
        if value is not None or name not in fields or fields[name].is_required()
    }


def checked_arguments(model: type[BaseModel], raw: Mapping[str, Any], operation: str) -> BaseModel:
    """The arguments as a tool wants them. operation: its name.

    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED.
    """
    _require_text(raw, "", operation)
    try:
        return model.model_validate(without_nulls(model, raw))
    except ValidationError as invalid:
        errors = invalid.errors(include_url=False, include_input=False)
        raise _refused(model, errors, operation) from None


def _require_text(given: Any, path: str, operation: str) -> None:
    """Half characters, as JSON can escape them, fit into no file and no answer.

    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED.
    """
    if isinstance(given, str) and not given.isascii() and any("\ud800" <= char <= "\udfff" for char in given):
        raise ServiceFailure(
            ErrorCode.SCHEMA_VALIDATION_FAILED,
            f"{operation}: {path}: must be Unicode text, and it holds half of a surrogate pair",
            details={"path": path, "expected": "Unicode text", "operation": operation},
        )
    if isinstance(given, Mapping):
        for name, value in given.items():
            _require_text(str(name), path or "arguments", operation)
            _require_text(value, f"{path}.{name}" if path else str(name), operation)
    elif isinstance(given, list):
        for index, value in enumerate(given):
            _require_text(value, f"{path}.{index}", operation)


def _refused(model: type[BaseModel], errors: list[ErrorDetails], operation: str) -> ServiceFailure:
    missing = [str(error["loc"][0]) for error in errors if error["type"] == "missing"]
    problems = [
        {"path": ".".join(str(step) for step in error["loc"]), "expected": _expected(model, error, missing)}
        for error in errors[:_MOST]
    ]
    message = "; ".join(f"{problem['path'] or 'arguments'}: {problem['expected']}" for problem in problems)
    details: dict[str, Any] = {**problems[0], "operation": operation}
    if len(errors) > 1:
        details["problems"] = problems
    return ServiceFailure(
        ErrorCode.SCHEMA_VALIDATION_FAILED,
        f"{operation}: {message}",
        fix=f"its arguments are {_listed(model)}",
        details=details,
    )


def _expected(model: type[BaseModel], error: ErrorDetails, missing: Sequence[str]) -> str:
    """What would have been right, without the words of the library that checks.

    missing: the arguments that must be given, and are not.
    """
    context: Mapping[str, Any] = error.get("ctx") or {}
    match error["type"]:
        case "extra_forbidden":
            return _unknown(model, error, missing)
        case "missing":
            return "must be given"
        case "tuple_type" | "list_type":
            return "must be a list"
        case "literal_error":
            return f"must be {context.get('expected')}"
        case "too_short":
            return f"must have {context.get('min_length')} items, has {context.get('actual_length')}"
        case "too_long":
            return f"must have at most {context.get('max_length')} items, has {context.get('actual_length')}"
        case "greater_than_equal":
            return f"must be at least {context.get('ge')}"
        case "less_than_equal":
            return f"must be at most {context.get('le')}"
        case _:
            text = str(error["msg"]).removeprefix("Value error, ")
            return f"must be {text[16:]}" if text.startswith("Input should be a") else text


def _unknown(model: type[BaseModel], error: ErrorDetails, missing: Sequence[str]) -> str:
    """The argument that was meant: one of a like name, else the only one that is missing."""
    name = str(error["loc"][-1])
    near = difflib.get_close_matches(name, model.model_fields, 1) if len(error["loc"]) == 1 else []
    if not near and len(error["loc"]) == 1 and len(missing) == 1:
        near = list(missing)
    return "there is no such argument" + (f"; did you mean {near[0]}?" if near else "")


def _listed(model: type[BaseModel]) -> str:
    """The names, those first that must be given."""
    fields = model.model_fields
    names = [name for name, field in fields.items() if field.is_required()]
    optional = [f"{name}?" for name, field in fields.items() if not field.is_required()]
    return ", ".join((*names, *optional)) or "none: call it with {}"
