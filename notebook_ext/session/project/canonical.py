"""Structs as JSON, and JSON that is the same for equal values and that git shows well.

Sorted keys, two spaces, lists of plain values on one line, whole numbers without a point, a newline at the
end: a moved part is one changed line.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from json.encoder import encode_basestring
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct, to_builtins

__all__ = ["canonical_json", "json_object"]

_WORDS: Final[Mapping[object, str]] = MappingProxyType({None: "null", True: "true", False: "false"})


def json_object(value: Struct | Mapping[str, Any]) -> dict[str, Any]:
    """A Struct, or a mapping that may hold some, as JSON; nothing of it is shared. Raises: TypeError."""
    json: dict[str, Any] = _with_lists(to_builtins(value, enc_hook=_plain))
    return json


_NESTED: Final = frozenset({dict, list, tuple})
"""Of what `to_builtins` gives."""


def canonical_json(value: object) -> str:
    """The text of a value.

    Raises: ValueError for what is no finite number, TypeError for what is not of JSON.
    """
    return _written(value, "") + "\n"


def _written(value: object, indent: str) -> str:
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None or value is True or value is False:
        return _WORDS[value]
    if isinstance(value, int):
        return repr(int(value))
    if isinstance(value, float):
        return _number(value)
    deeper = indent + "  "
    if isinstance(value, Mapping):
        if not value:
            return "{}"
        rows = [
            f"{deeper}{encode_basestring(str(key))}: {_written(value[key], deeper)}" for key in sorted(value)
        ]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    if isinstance(value, list | tuple):
        parts = [_written(item, deeper) for item in value]
        if not any(part[0] in "[{" for part in parts):
            return f"[{', '.join(parts)}]"
        return "[\n" + ",\n".join(deeper + part for part in parts) + f"\n{indent}]"
    raise TypeError(f"{type(value).__name__} is not of JSON")


def _with_lists(value: Any) -> Any:
    """The same with a list for each tuple: code that changes JSON adds to lists."""
    if isinstance(value, dict):
        return {name: _with_lists(item) if type(item) in _NESTED else item for name, item in value.items()}
    if isinstance(value, list | tuple):
        plain = _NESTED.isdisjoint(map(type, value))  # mostly numbers, of which there are many
        return list(value) if plain else [_with_lists(item) for item in value]
    return value


def _plain(value: object) -> object:
    """A kind of number or text, as numpy has them, as the number or text that it is."""
    for kind in (float, int, str):
        if isinstance(value, kind):
            return kind(value)
    raise TypeError(f"{type(value).__name__} is not of JSON")


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise ValueError(f"{value} is no finite number")
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
