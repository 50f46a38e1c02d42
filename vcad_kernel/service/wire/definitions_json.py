"""What cells have defined, as JSON objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from vcad_kernel.loon.reference import Entry, EntryKind
from vcad_kernel.service.protocol import Definition
from vcad_kernel.service.wire import place_json
from vcad_kernel.service.wire.reading import reading

__all__ = ["decode", "encode"]

_KINDS: Mapping[str, EntryKind] = {kind: kind for kind in get_args(EntryKind)}
_TEXTS = ("usage", "type", "doc", "example", "result", "group")


def encode(definitions: Mapping[str, Definition]) -> list[dict[str, Any]]:
    """The objects of definitions, in their order."""
    return [
        {
            "name": name,
            "cell_id": one.cell_id,
            "display": one.display,
            "given": one.given,
            "type": one.type,
            "entry": _entry(one.entry),
        }
        for name, one in definitions.items()
    ]


def _entry(entry: Entry) -> dict[str, Any]:
    """An entry, without what it has nothing to say of."""
    data: dict[str, Any] = {"name": entry.name, "kind": entry.kind}
    data.update((text, getattr(entry, text)) for text in _TEXTS if getattr(entry, text))
    if entry.parameters:
        data["parameters"] = list(entry.parameters)
    if entry.place is not None:
        data["place"] = place_json.encode(entry.place)
    return data


def decode(data: Iterable[Mapping[str, Any]]) -> dict[str, Definition]:
    """The definitions of objects. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""
    with reading("definition"):
        return {
            str(one["name"]): Definition(
                _read_entry(one.get("entry") or {}, str(one["name"])),
                str(one["cell_id"]),
                str(one.get("display") or ""),
                bool(one.get("given")),
                str(one.get("type") or ""),
            )
            for one in data
        }


def _read_entry(data: Mapping[str, Any], name: str) -> Entry:
    return Entry(
        str(data.get("name") or name),
        _KINDS.get(data.get("kind", ""), "variable"),
        **{text: str(data.get(text) or "") for text in _TEXTS},
        parameters=tuple([str(one) for one in data.get("parameters") or ()]),
        place=place_json.decode_maybe(data.get("place")),
    )
