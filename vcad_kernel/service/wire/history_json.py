"""Entries of a history of cells as JSON objects, with their texts or by hash alone.

A text goes over once; after that its hash says which it was. `CellSource.hash` covers all that decides what
a run does, so an entry that is sent by hash comes back as it was. Who does not know a hash says so, and
the texts are sent again.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from msgspec import Struct

from vcad_kernel.contracts.messages import CellSource, HistoryEntry, Imported, TakenBack
from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.service.wire import plain_json, values
from vcad_kernel.service.wire.values import reading

__all__ = ["Cell", "decode", "encode"]


class Cell(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The object of a cell; all but the first three fields go over once."""

    cell_id: str
    source_hash: str
    name: str | None = ""
    source: str | None = None
    """None: the cell is the one of that hash."""
    bindings: Mapping[str, Any] | None = {}
    """As `plain_json` has them, and so the parameters."""
    bind: str | None = None
    parameters: Mapping[str, Any] | None = {}
    imports: Mapping[str, Imported] | None = {}
    private: bool | None = False


def encode(entry: HistoryEntry, in_full: Container[str] | None = None) -> dict[str, Any]:
    """The object of an entry.

    in_full: hashes of those that go over with the text and what the cell was given, by default all.
    """
    if isinstance(entry, TakenBack):
        return {"taken_back": sorted(entry.names)}
    digest = entry.hash
    form = Cell(cell_id=entry.cell_id, source_hash=digest, name=entry.name)
    if in_full is None or digest in in_full:
        form = Cell(
            cell_id=entry.cell_id,
            source_hash=digest,
            name=entry.name,
            source=entry.source,
            bindings=plain_json.encode_members(entry.bindings),
            bind=entry.bind,
            parameters=plain_json.encode_members(entry.parameters),
            imports=entry.imports,
            private=entry.private,
        )
    data: dict[str, Any] = values.encode(form)
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
        for given in data:
            if "taken_back" in given:
                entries.append(values.decode(given, TakenBack, "history"))
                continue
            form = values.decode(given, Cell, "history")
            cell = _cell(form, known)
            if cell is None:
                unknown.append(form.source_hash)
            else:
                entries.append(cell)
    if unknown:
        raise ServiceFailure(
            ErrorCode.PRELUDE_UNKNOWN,
            f"the texts of {len(unknown)} earlier cells are not known here",
            fix="send the call again with their sources",
            details={"unknown": list(dict.fromkeys(unknown)), "operation": operation},
        )
    return entries


def _cell(form: Cell, known: Mapping[str, CellSource]) -> CellSource | None:
    """The cell of an object; None for one given by a hash that is not known."""
    name = form.name or ""
    if form.source is None:
        cell = known.get(form.source_hash)
        if cell is None or (cell.cell_id, cell.name) == (form.cell_id, name):
            return cell
        return replace(cell, cell_id=form.cell_id, name=name)
    return CellSource(
        form.cell_id,
        form.source,
        name,
        plain_json.decode_members(form.bindings),
        form.bind,
        plain_json.decode_members(form.parameters),
        form.imports or {},
        bool(form.private),
    )
