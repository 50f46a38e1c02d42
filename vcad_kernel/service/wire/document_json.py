"""A document as JSON: its op records, and beside them where each node was written and by which functions.

The records are the document profile (cad.md §12.4), base64; decoding gives an equal document with the same
digests. Places are rows ``[node, file, line, column, end_line, end_column, text]``, a node's first call
first; a node that equal calls have made has several. The text of a line stands once, in ``lines``, and a row
has its number: a program may be one line of thousands of calls.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vcad_kernel.errors import GeometryError, Place, Site
from vcad_kernel.ir import op_document
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId
from vcad_kernel.service.wire.values import reading

__all__ = ["decode", "encode"]


@dataclass(frozen=True, slots=True)
class KnownPlace:
    """A site whose place is known already."""

    known: Place

    def place(self) -> Place | None:
        """The stretch of source."""
        return self.known


def encode(document: Document) -> dict[str, Any]:
    """The JSON form of a document.

    Raises: GeometryError ENCODE_FAILED for a document that no records can hold.
    """
    found: dict[Site, Place | None] = {}
    lines: dict[str, int] = {}

    def rows(number: int, sites: Iterable[Site]) -> list[list[Any]]:
        return [_row(number, place, lines) for place in _places(sites, found)]

    return {
        "records": base64.b64encode(op_document.encode(document)).decode("ascii"),
        "places": [row for node, sites in document.sites.items() for row in rows(node, sites)],
        "root_places": [row for index, root in enumerate(document.roots) for row in rows(index, root.sites)],
        "called": {str(node): list(names) for node, names in document.called.items()},
        "lines": list(lines),
    }


def _places(sites: Iterable[Site], found: dict[Site, Place | None]) -> list[Place]:
    """The places of sites, those that are known.

    found: those of sites that were resolved before: finding one walks through a function's positions, and a
    call in a loop makes thousands of nodes.
    """
    places: dict[Place, None] = {}
    for site in sites:
        if site not in found:
            found[site] = site.place()
        place = found[site]
        if place is not None:
            places[place] = None
    return list(places)


def _row(number: int, place: Place, lines: dict[str, int]) -> list[Any]:
    return [
        int(number),
        place.file,
        place.line,
        place.column,
        place.end_line,
        place.end_column,
        lines.setdefault(place.text, len(lines)),
    ]


def decode(data: Mapping[str, Any]) -> Document:
    """The document of its JSON form.

    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED.
    """
    with reading("document"):
        try:
            document = op_document.decode(base64.b64decode(data["records"], validate=True))
        except GeometryError as wrong:
            raise ValueError(wrong.message) from wrong
        lines = data.get("lines") or ()
        sites = _sites(data.get("places") or (), lines)
        of_roots = _sites(data.get("root_places") or (), lines)
        roots = [
            replace(root, sites=of_roots.get(index, ())) if index in of_roots else root
            for index, root in enumerate(document.roots)
        ]
        called = {
            NodeId(int(node)): tuple([str(name) for name in names])
            for node, names in (data.get("called") or {}).items()
        }
        return replace(
            document,
            roots=tuple(roots),
            sites={NodeId(node): held for node, held in sites.items()},
            called=called,
        )


def _sites(rows: Iterable[Any], lines: Sequence[str]) -> dict[int, tuple[Site, ...]]:
    found: dict[int, list[Site]] = {}
    known: dict[tuple[Any, ...], KnownPlace] = {}
    for number, *place in rows:
        file, line, column, end_line, end_column, text = place
        key = (file, line, column, end_line, end_column, text)
        if key not in known:
            whole = text if isinstance(text, str) else str(lines[text])
            known[key] = KnownPlace(
                Place(str(file), int(line), int(column), int(end_line), int(end_column), whole)
            )
        found.setdefault(int(number), []).append(known[key])
    return {number: tuple(sites) for number, sites in found.items()}
