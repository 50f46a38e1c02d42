"""JSON as bytes, fast: a large answer must not keep everybody else waiting while it is read and written.

The fast reader and writer refuse some texts that JSON may hold, as half a surrogate pair; those go the
slower way. Numbers that JSON lacks are refused when they are read, so that none is ever written.
"""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec

__all__ = ["read_json", "write_json"]


def read_json(data: bytes) -> Any:
    """The value of a text in UTF-8.

    Raises: ValueError; RecursionError for what is nested too deeply.
    """
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:
        # not from bytes: json would take UTF-16 for what it looks like
        return json.loads(data.decode("utf-8"), parse_constant=_no_number, parse_float=_finite)


def write_json(value: Any) -> bytes:
    """The text of a value, on one line, in UTF-8. Its numbers are finite."""
    try:
        return msgspec.json.encode(value)
    except (UnicodeEncodeError, OverflowError):
        return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:20]} is larger than any number")
    return number
