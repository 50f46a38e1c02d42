"""A document as a struct: its op records, and beside them where each node was written and by which functions.

The records are the document profile (cad.md §12.4), base64; decoding gives an equal document with the same
digests. Places are rows ``[node, file, line, column, end_line, end_column, text]``, a node's first call
first; a node that equal calls have made has several. The text of a line stands once, in ``lines``, and a row
has its number: a program may be one line of thousands of calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from msgspec import Struct

from vcad_kernel.errors import GeometryError, Place, Site
from vcad_kernel.ir import op_document
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId
from vcad_kernel.service.wire import values
from vcad_kernel.service.wire.values import reading

__all__ = ["Form", "Row", "decode", "encode"]


class Row(Struct, frozen=True, array_like=True):
    """A place of a node, or of the root of an index."""

    number: int
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: int | str
    """The number of its line, or the line itself."""


class Form(Struct, frozen=True):
    """A document."""

    records: bytes
    places: tuple[Row, ...] = ()
    root_places: tuple[Row, ...] = ()
    called: dict[int, tuple[str, ...]] = {}
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KnownPlace:
    """A site whose place is known already."""

    known: Place

    def place(self) -> Place | None:
        """The stretch of source."""
        return self.known


def encode(document: Document) -> Form:
    """The struct of a document.

    Raises: GeometryError ENCODE_FAILED for a document that no records can hold.
    """
    resolved: dict[Site, Place | None] = {}
    lines: dict[str, int] = {}

    def rows(number: int, sites: Iterable[Site]) -> list[Row]:
        return [_row(number, place, lines) for place in _places(sites, resolved)]

    return Form(
        op_document.encode(document),
        tuple([row for node, sites in document.sites.items() for row in rows(node, sites)]),
        tuple([row for index, root in enumerate(document.roots) for row in rows(index, root.sites)]),
        {int(node): tuple(names) for node, names in document.called.items()},
        tuple(lines),
    )


def _places(sites: Iterable[Site], resolved: dict[Site, Place | None]) -> list[Place]:
    """The places of sites, those that are known.

    resolved: those of sites that were asked before: finding one walks through a function's positions, and a
    call in a loop makes thousands of nodes.
    """
    places: dict[Place, None] = {}
    for site in sites:
        if site not in resolved:
            resolved[site] = site.place()
        place = resolved[site]
        if place is not None:
            places[place] = None
    return list(places)


def _row(number: int, place: Place, lines: dict[str, int]) -> Row:
    line = lines.setdefault(place.text, len(lines))
    return Row(number, place.file, place.line, place.column, place.end_line, place.end_column, line)


def decode(data: object) -> Document:
    """The document of a struct. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""
    form = values.decode(data, Form, "document")
    with reading("document"):
        try:
            document = op_document.decode(form.records)
        except GeometryError as wrong:
            raise ValueError(wrong.message) from wrong
        sites = _sites(form.places, form.lines)
        of_roots = _sites(form.root_places, form.lines)
        roots = [
            replace(root, sites=of_roots.get(index, ())) if index in of_roots else root
            for index, root in enumerate(document.roots)
        ]
        return replace(
            document,
            roots=tuple(roots),
            sites={NodeId(node): places for node, places in sites.items()},
            called={NodeId(node): names for node, names in form.called.items()},
        )


def _sites(rows: Iterable[Row], lines: Sequence[str]) -> dict[int, tuple[Site, ...]]:
    sites: dict[int, list[Site]] = {}
    known: dict[Place, KnownPlace] = {}
    for row in rows:
        text = row.text if isinstance(row.text, str) else lines[row.text]
        place = Place(row.file, row.line, row.column, row.end_line, row.end_column, text)
        sites.setdefault(row.number, []).append(known.setdefault(place, KnownPlace(place)))
    return {number: tuple(placed) for number, placed in sites.items()}
