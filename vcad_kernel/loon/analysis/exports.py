"""What a module offers to those who use it (§19), read from its text without running it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vcad_kernel.loon.analysis.description import of_definition
from vcad_kernel.loon.analysis.document import Document, PlacedDefinition
from vcad_kernel.loon.reference import Entry
from vcad_kernel.loon.scoping.bindings import Global
from vcad_kernel.loon.scoping.nodes import headed, parts

__all__ = ["exported", "exports"]


def exports(text: str, name: str) -> Mapping[str, Entry]:
    """The entries of a module's exports, by their own names.

    name: how the module's file is called in places.
    """
    document = Document(text)
    return {export: of_definition(document, placed, name) for export, placed in exported(document).items()}


def exported(document: Document) -> Mapping[str, PlacedDefinition]:
    """The definitions that a module exports: those marked ``pub``, or all where none is."""
    public = list(_public(document))
    out = {}
    for key, several in document.definitions.items():
        placed = several[-1]
        if not _can_be_exported(key, placed):
            continue
        if not public or any(start <= placed.start and placed.end <= end for start, end in public):
            out[key.name] = placed
    return out


def _can_be_exported(key: Global, placed: PlacedDefinition) -> bool:
    one = placed.definition
    return key.space == "value" and one.certain and one.kind not in ("macro", "import")


def _public(document: Document) -> Iterator[tuple[int, int]]:
    """The extents of the top-level forms that are marked ``pub``."""
    for section in document.sections:
        if "pub" in section.text:
            for node in parts(section.tree):
                if headed(node, "pub"):
                    yield section.start + node.start, section.start + node.end
