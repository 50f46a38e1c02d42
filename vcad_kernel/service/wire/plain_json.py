"""Plain Python values as JSON, so that they come back as they were: ``1.0`` a float, ``(1, 2)`` a tuple.

JSON has no tuples, no ``nan`` and no infinities, and readers of other languages lose whole numbers beyond
64 bits; those become objects of one member whose name begins with ``$``. A dict that has such names itself
is written as its pairs. By hand: msgspec writes a tuple as a list, and what was one is lost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from vcad_kernel.errors import LoonTypeError
from vcad_kernel.service.wire.values import reading

__all__ = ["DEEPEST", "decode", "decode_members", "encode", "encode_members"]

DEEPEST: Final = 100
"""Lists and dicts within each other; readers of JSON have limits of their own, and this is below them."""

_MARK: Final = "$"
_UNSAID: Final = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_WHOLE: Final = 2**63


def encode(value: Any) -> Any:
    """A value made of numbers, strings, booleans, None, lists, tuples and dicts with string keys.

    Raises: TypeError for anything else; LoonTypeError for one of too many levels.
    """
    return _encoded(value, DEEPEST)


def _encoded(value: Any, levels: int) -> Any:
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if -_WHOLE <= value < _WHOLE else {"$int": str(value)}
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": str(value)}
    if levels == 0:
        raise LoonTypeError(
            f"a value has more than {DEEPEST} levels", code="type", fix="pass data of fewer levels"
        )
    if isinstance(value, list):
        return [_encoded(member, levels - 1) for member in value]
    if isinstance(value, tuple):
        return {"$tuple": [_encoded(member, levels - 1) for member in value]}
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        if any(key.startswith(_MARK) for key in value):
            return {"$dict": [[key, _encoded(member, levels - 1)] for key, member in value.items()]}
        return {key: _encoded(member, levels - 1) for key, member in value.items()}
    raise TypeError(f"a {type(value).__name__} is no plain value")


def decode(data: Any) -> Any:
    """The value that was encoded. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""
    with reading("plain value"):
        return _decoded(data)


def _decoded(data: Any) -> Any:
    if isinstance(data, list):
        return [_decoded(member) for member in data]
    if not isinstance(data, dict):
        return data
    if len(data) == 1:
        ((name, held),) = data.items()
        if name.startswith(_MARK):
            return _special(name, held)
    return {key: _decoded(member) for key, member in data.items()}


def _special(name: str, held: Any) -> Any:
    if name == "$tuple":
        return tuple([_decoded(member) for member in _list(held)])
    if name == "$float":
        return _UNSAID[held]
    if name == "$int":
        return int(held)
    if name == "$dict":
        return {str(key): _decoded(member) for key, member in _list(held)}
    raise ValueError(f"{name} marks no kind of value")


def _list(held: Any) -> list[Any]:
    if not isinstance(held, list):
        raise TypeError("a list must stand there")
    return held


def encode_members(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values by name, as bindings and parameters."""
    return {name: encode(value) for name, value in values.items()}


def decode_members(data: Mapping[str, Any] | None) -> dict[str, Any]:
    """The values that were encoded; none for None. Raises: as `decode`."""
    with reading("values by name"):
        return {str(name): _decoded(value) for name, value in (data or {}).items()}
