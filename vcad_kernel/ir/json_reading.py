"""JSON data taken apart with every step checked: what is wrong is refused with the path of the member.

Knows plain dicts, lists, strings and numbers, and the vectors of the document format; no nodes.
Errors are GeometryError TYPE_MISMATCH, ARITY_MISMATCH, UNKNOWN_VARIANT or INVALID_PARAMETER.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

from vcad_kernel.errors import GeometryError
from vcad_kernel.ir.vectors import Vec2, Vec3

__all__ = [
    "as_flag",
    "as_integer",
    "as_list",
    "as_number",
    "as_object",
    "as_text",
    "as_vec2",
    "as_vec3",
    "each",
    "invalid",
    "member",
    "unknown_members",
    "variant",
    "wrong",
]

_LARGEST_INTEGER = 2**53
"""Beyond it a double no longer tells whole numbers apart."""


def wrong(path: str, wanted: str, got: object) -> GeometryError:
    """The error of a value of another kind than wanted."""
    return GeometryError(
        f"{path} must be {wanted}, got {type(got).__name__}", code="TYPE_MISMATCH", details={"path": path}
    )


def invalid(path: str, wanted: str, got: object) -> GeometryError:
    """The error of a value of the right kind that means nothing."""
    return GeometryError(
        f"{path} must be {wanted}, got {got}", code="INVALID_PARAMETER", details={"path": path}
    )


def as_object(value: object, path: str) -> dict[str, Any]:
    """A JSON object."""
    if not isinstance(value, dict):
        raise wrong(path, "an object", value)
    return value


def as_list(value: object, path: str) -> list[Any]:
    """A JSON list."""
    if not isinstance(value, list | tuple):
        raise wrong(path, "a list", value)
    return list(value)


def as_text(value: object, path: str) -> str:
    """A string."""
    if not isinstance(value, str):
        raise wrong(path, "text", value)
    return value


def as_flag(value: object, path: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise wrong(path, "true or false", value)
    return value


def as_number(value: object, path: str) -> float:
    """A finite double; whole numbers are accepted."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong(path, "a number", value)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise invalid(path, "finite", number)
    return number


def as_integer(value: object, path: str) -> int:
    """A whole number from 0; a real with zero fraction is accepted."""
    number = as_number(value, path)
    if number < 0 or not number.is_integer() or number > _LARGEST_INTEGER:
        raise invalid(path, "a whole number from 0", value)
    return int(number)


def as_vec2(value: object, path: str) -> Vec2:
    """``{"x", "y"}``."""
    record = as_object(value, path)
    return (
        as_number(member(record, "x", path), f"{path}.x"),
        as_number(member(record, "y", path), f"{path}.y"),
    )


def as_vec3(value: object, path: str) -> Vec3:
    """``{"x", "y", "z"}``."""
    record = as_object(value, path)
    x, y = as_vec2(record, path)
    return (x, y, as_number(member(record, "z", path), f"{path}.z"))


def each(read: Callable[[object, str], Any]) -> Callable[[object, str], tuple[Any, ...]]:
    """The reader of a list whose items ``read`` reads."""

    def read_all(value: object, path: str) -> tuple[Any, ...]:
        return tuple(read(item, f"{path}[{index}]") for index, item in enumerate(as_list(value, path)))

    return read_all


def member(record: Mapping[str, Any], name: str, path: str) -> Any:
    """A member that must be there."""
    if name not in record:
        raise GeometryError(
            f"{path} has no member '{name}'", code="ARITY_MISMATCH", details={"path": f"{path}.{name}"}
        )
    return record[name]


def unknown_members(record: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """The members that this version does not know."""
    return {name: value for name, value in record.items() if name not in known}


def variant(record: Mapping[str, Any], path: str, known: Collection[str]) -> str:
    """The ``type`` of a record, which must be one of the known."""
    name = as_text(member(record, "type", path), f"{path}.type")
    if name not in known:
        raise GeometryError(
            f"{path} has the unknown type '{name}'; known: {', '.join(known)}",
            code="UNKNOWN_VARIANT",
            details={"path": path},
        )
    return name
