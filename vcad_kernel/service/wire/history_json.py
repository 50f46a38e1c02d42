"""Entries of a history of cells as JSON objects, with their texts or by hash alone.

A text goes over once; after that its hash says which it was. `CellSource.hash` covers all that decides what
a run does, so an entry that is sent by hash comes back as it was. Who does not know a hash says so, and
the texts are sent again.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vcad_kernel.contracts.messages import CellSource, HistoryEntry, TakenBack
from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.service.wire import imports_json, plain_json
from vcad_kernel.service.wire.values import reading

__all__ = ["decode", "encode"]


def encode(entry: HistoryEntry, in_full: Container[str] | None = None) -> dict[str, Any]:
    """The object of an entry.

    in_full: hashes of those that go over with the text and what the cell was given, by default all.
    """
    if isinstance(entry, TakenBack):
        return {"taken_back": sorted(entry.names)}
    digest = entry.hash
    data: dict[str, Any] = {"cell_id": entry.cell_id, "source_hash": digest}
    if entry.name:
        data["name"] = entry.name
    if in_full is not None and digest not in in_full:
        return data
    data["source"] = entry.source
    if entry.bindings:
        data["bindings"] = plain_json.encode_members(entry.bindings)
    if entry.bind is not None:
        data["bind"] = entry.bind
    if entry.parameters:
        data["parameters"] = plain_json.encode_members(entry.parameters)
    if entry.imports:
        data["imports"] = imports_json.encode(entry.imports)
    if entry.private:
        data["private"] = True
    return data


def decode(
    data: Iterable[Mapping[str, Any]], known: Mapping[str, CellSource], operation: str = "vcad.eval_cell"
) -> Sequence[HistoryEntry]:
    """The entries of objects, in order.

    known: cells that were sent before, by the ``source_hash`` that they were sent with. Raises:
    ServiceFailure PRELUDE_UNKNOWN, naming all hashes that neither come with a text nor are known;
    SCHEMA_VALIDATION_FAILED.
    """
    entries: list[HistoryEntry] = []
    unknown: list[str] = []
    with reading("history"):
        for one in data:
            entry = _entry(one, known)
            if entry is None:
                unknown.append(str(one["source_hash"]))
            else:
                entries.append(entry)
    if unknown:
        raise ServiceFailure(
            ErrorCode.PRELUDE_UNKNOWN,
            f"the texts of {len(unknown)} earlier cells are not known here",
            fix="send the call again with their sources",
            details={"unknown": list(dict.fromkeys(unknown)), "operation": operation},
        )
    return entries


def _entry(data: Mapping[str, Any], known: Mapping[str, CellSource]) -> HistoryEntry | None:
    if "taken_back" in data:
        return TakenBack(frozenset(str(name) for name in data["taken_back"]))
    cell_id, name = str(data["cell_id"]), str(data.get("name") or "")
    if data.get("source") is None:
        cell = known.get(data["source_hash"])
        if cell is None or (cell.cell_id, cell.name) == (cell_id, name):
            return cell
        return replace(cell, cell_id=cell_id, name=name)
    return CellSource(
        cell_id,
        str(data["source"]),
        name,
        plain_json.decode_members(data.get("bindings")),
        None if data.get("bind") is None else str(data["bind"]),
        plain_json.decode_members(data.get("parameters")),
        imports_json.decode(data.get("imports")),
        bool(data.get("private")),
    )
