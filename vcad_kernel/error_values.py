"""Values of an error's details as JSON has them.

Numbers, texts, truth values, null, lists and objects with text keys pass; tuples become lists, and a number
that JSON lacks becomes ``{"$float": "nan"}``, as in values on the wire. By hand, since a detail may be
anything and must be checked, with its path, before it leaves. Knows neither errors nor codes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, SupportsIndex

__all__ = ["Unfit", "from_wire", "to_wire"]

_DEEPEST: Final = 64
"""Lists and objects within each other; what is deeper is no detail, and readers have limits of their own."""

_UNSAID: Final = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class Unfit(ValueError):
    """Something that cannot stand where it stands; ``path`` says where, ``expected`` what must be there."""

    def __init__(self, path: str, expected: str) -> None:
        super().__init__(f"{path or 'it'} must be {expected}")
        self.path = path
        self.expected = expected


def to_wire(details: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Details as JSON has them.

    path: what they are called in a complaint.
    Raises: Unfit.
    """
    wired = _wired(details, path, 0)
    assert isinstance(wired, dict)
    return wired


def from_wire(details: Mapping[str, Any]) -> dict[str, Any]:
    """Details with the numbers that JSON lacks; lists stay lists."""
    return {key: _unwired(value) for key, value in details.items()}


def _wired(value: object, path: str, depth: int) -> object:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        number = float(value)
        return number if math.isfinite(number) else {"$float": repr(number)}
    if isinstance(value, SupportsIndex):
        return value.__index__()
    if depth >= _DEEPEST:
        raise Unfit(path, f"no deeper than {_DEEPEST} levels")
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise Unfit(path, "an object with texts as keys")
        return {str(key): _wired(item, f"{path}.{key}", depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_wired(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(value)]
    raise Unfit(path, f"a JSON value, not a {type(value).__name__}")


def _unwired(value: Any) -> Any:
    if isinstance(value, list):
        return [_unwired(item) for item in value]
    if isinstance(value, dict):
        if value.keys() == {"$float"} and value["$float"] in _UNSAID:
            return _UNSAID[value["$float"]]
        return {key: _unwired(item) for key, item in value.items()}
    return value
