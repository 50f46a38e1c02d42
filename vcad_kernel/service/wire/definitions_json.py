"""What cells have defined, as JSON objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, get_args

from vcad_kernel.loon.reference import Entry, EntryKind
from vcad_kernel.service.protocol import Definition
from vcad_kernel.service.wire import values
from vcad_kernel.service.wire.values import reading

__all__ = ["decode", "encode"]

_KINDS: Final = frozenset(get_args(EntryKind))


def encode(definitions: Mapping[str, Definition]) -> list[dict[str, Any]]:
    """The objects of definitions, in their order; an entry without what it has nothing to say of."""
    return [
        {
            "name": name,
            "cell_id": one.cell_id,
            "display": one.display,
            "given": one.given,
            "type": one.type,
            "entry": {field: said for field, said in values.encode(one.entry).items() if said},
        }
        for name, one in definitions.items()
    ]


def decode(data: Iterable[Mapping[str, Any]]) -> dict[str, Definition]:
    """The definitions of objects. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""
    with reading("definition"):
        return {
            str(one["name"]): Definition(
                _entry(one.get("entry") or {}, str(one["name"])),
                str(one["cell_id"]),
                str(one.get("display") or ""),
                bool(one.get("given")),
                str(one.get("type") or ""),
            )
            for one in data
        }


def _entry(data: Mapping[str, Any], name: str) -> Entry:
    """An entry; of a kind that a newer service has, it is at least a name."""
    kind = data.get("kind") if data.get("kind") in _KINDS else "variable"
    said = {field: value for field, value in data.items() if value is not None}
    return values.decode({"name": name, **said, "kind": kind}, Entry, "definition")
