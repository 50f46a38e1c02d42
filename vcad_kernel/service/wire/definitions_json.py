"""What cells have defined, as JSON objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, get_args

from vcad_kernel.loon.reference import EntryKind
from vcad_kernel.service.protocol import Definition
from vcad_kernel.service.wire import values
from vcad_kernel.service.wire.values import reading

__all__ = ["decode", "encode"]

_KINDS: Final = frozenset(get_args(EntryKind))


def encode(definitions: Mapping[str, Definition]) -> list[dict[str, Any]]:
    """The objects of definitions, in their order; an entry without what it has nothing to say of."""
    data = []
    for name, definition in values.encode(dict(definitions)).items():
        entry = {field: said for field, said in definition.pop("entry").items() if said}
        data.append({"name": name, **definition, "entry": entry})
    return data


def decode(data: Iterable[Mapping[str, Any]]) -> dict[str, Definition]:
    """The definitions of objects. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""
    with reading("definition"):
        completed = {one["name"]: {"display": "", **one, "entry": _completed(one)} for one in data}
    return values.decode(completed, dict[str, Definition], "definition")


def _completed(data: Mapping[str, Any]) -> dict[str, Any]:
    """The entry of a definition; of a kind that a newer service has, it is at least a name."""
    entry = data.get("entry") or {}
    kind = entry.get("kind")
    return {"name": data["name"], **entry, "kind": kind if kind in _KINDS else "variable"}
