"""What cells have defined, as JSON objects: all of it, or what has changed since the client's last answer.

A run changes few of the names that a long session has. A client that has received many asks for the changes
since then (`KnownDefinitions.tag`). The worker remembers what it has sent (`SentDefinitions`) as it keeps
everything: where that is lost, all definitions are sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from secrets import token_hex
from types import MappingProxyType
from typing import Any, Final, get_args

from vcad_kernel.loon.reference import EntryKind
from vcad_kernel.service.protocol import Definition
from vcad_kernel.service.wire import values
from vcad_kernel.service.wire.values import reading

__all__ = ["KnownDefinitions", "SentDefinitions", "changed", "decode", "encode"]

_KINDS: Final = frozenset(get_args(EntryKind))
_FEW: Final = 32
"""Definitions that are sent whole each time: to remember them costs more."""
_REMEMBERED: Final = 8
"""States that the worker remembers: a session goes from one to the next."""
_NONE: Final[Mapping[str, Definition]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class KnownDefinitions:
    """What a client has received of definitions, all in all."""

    definitions: Mapping[str, Definition] = field(default_factory=lambda: _NONE)
    tag: str = ""
    """By which the sender knows what that was; empty where they were sent whole, as few are."""

    @property
    def asked(self) -> dict[str, str]:
        """The argument by which only what has changed since is sent; none while that is not worth it."""
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


class SentDefinitions:
    """The states of definitions that were sent last, by tag."""

    def __init__(self) -> None:
        self._sent: dict[str, Mapping[str, Definition]] = {}
        self._numbers = count(1)
        self._worker = token_hex(8)
        """Another worker has other tags."""

    def since(
        self, tag: str | None, definitions: Mapping[str, Definition]
    ) -> tuple[Mapping[str, Definition], dict[str, Any]]:
        """The definitions that are to be sent, and what is said with them.

        tag: what the client knows, empty for nothing; None for one that is always sent all.
        """
        if tag is None:
            return definitions, {}
        before = self._sent.get(tag)
        said: dict[str, Any] = {"definitions_tag": f"{self._worker}-{next(self._numbers)}"}
        self._sent[said["definitions_tag"]] = definitions
        for oldest in list(self._sent)[:-_REMEMBERED]:
            del self._sent[oldest]
        if before is None:
            return definitions, said
        sent, gone = changed(before, definitions)
        return sent, {"definitions_since": tag, "definitions_gone": gone, **said}


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
