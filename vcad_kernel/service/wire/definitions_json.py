"""What cells have defined, as JSON objects: all of it, or what has changed since somebody was told.

A run changes few of the names that a long session has. Who has been told many asks for what has changed
since (`KnownDefinitions.tag`), and is told all where that is not known any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, get_args

from vcad_kernel.loon.reference import EntryKind
from vcad_kernel.service.protocol import Definition
from vcad_kernel.service.wire import values
from vcad_kernel.service.wire.values import reading

__all__ = ["KnownDefinitions", "changed", "decode", "encode"]

_KINDS: Final = frozenset(get_args(EntryKind))
_FEW: Final = 32
"""Definitions that are told whole each time: to remember them costs more."""
_NONE: Final[Mapping[str, Definition]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class KnownDefinitions:
    """What somebody has been told of definitions, all in all."""

    definitions: Mapping[str, Definition] = field(default_factory=lambda: _NONE)
    tag: str = ""
    """By which who has told them knows what that was; empty where they were told whole, as few are."""

    @property
    def asked(self) -> dict[str, str]:
        """The argument by which only what has changed since is told; none while that is not worth it."""
        return {} if len(self.definitions) < _FEW else {"definitions_since": self.tag}

    def after(self, fields: Mapping[str, Any]) -> KnownDefinitions:
        """What is known after an answer, be it a result or what a failed cell has left.

        Raises: ServiceFailure SCHEMA_VALIDATION_FAILED, also for changes of what was never known here.
        """
        sent, tag = decode(fields.get("definitions") or ()), str(fields.get("definitions_tag") or "")
        since = fields.get("definitions_since")
        if since is None:
            return KnownDefinitions(sent, tag)
        with reading("changed definitions"):
            if since != self.tag:
                raise ValueError(since)
            out = {*sent, *map(str, fields.get("definitions_gone") or ())}
        stay = {name: definition for name, definition in self.definitions.items() if name not in out}
        return KnownDefinitions(stay | sent, tag)


def changed(
    before: Mapping[str, Definition], now: Mapping[str, Definition]
) -> tuple[Mapping[str, Definition], list[str]]:
    """What to tell who knows the definitions before: those to be put at the end, and the names that are gone.

    Without either, what is left of those before is in its old order: so the order, too, is as it is now.
    """
    names, place, stay = list(before), 0, 0
    for name, definition in now.items():
        was = before.get(name)
        if was is not definition and was != definition:
            break
        while place < len(names) and names[place] != name:
            place += 1
        if place == len(names):  # it stood further up
            break
        stay += 1
    changes = dict(list(now.items())[stay:])
    return changes, [name for name in before if name not in now]


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
        completed = {
            fields["name"]: {"display": "", **fields, "entry": _completed(fields)} for fields in data
        }
    return values.decode(completed, dict[str, Definition], "definition")


def _completed(data: Mapping[str, Any]) -> dict[str, Any]:
    """The entry of a definition; of a kind that a newer service has, it is at least a name."""
    entry = data.get("entry") or {}
    kind = entry.get("kind")
    return {"name": data["name"], **entry, "kind": kind if kind in _KINDS else "variable"}
