"""What a module offers to those who use it (§19), read from its text without running it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from vcad_kernel.errors import LoonError
from vcad_kernel.loon.analysis.description import of_definition
from vcad_kernel.loon.analysis.document import Document, PlacedDefinition
from vcad_kernel.loon.modules.modules import ModuleFile, Project
from vcad_kernel.loon.reference import Entry
from vcad_kernel.loon.scoping.bindings import Global
from vcad_kernel.loon.scoping.nodes import headed, parts

__all__ = ["FileKnowledge", "exported", "exports"]


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
    definition = placed.definition
    return key.space == "value" and definition.certain and definition.kind not in ("macro", "import")


def _public(document: Document) -> Iterator[tuple[int, int]]:
    """The extents of the top-level forms that are marked ``pub``."""
    for section in document.sections:
        if "pub" in section.text:
            for node in parts(section.tree):
                if headed(node, "pub"):
                    yield section.start + node.start, section.start + node.end


class FileKnowledge:
    """A `Knowledge` of the names given and of a project's modules.

    project, folder: where modules are, and which folder's files ``use`` looks among first; None where the
    text belongs to none.
    """

    def __init__(self, entries: Mapping[str, Entry], project: Project | None, folder: Path | None) -> None:
        self._entries = entries
        self._project = project
        self._folder = folder

    def entries(self) -> Mapping[str, Entry]:
        """The names given."""
        return self._entries

    def modules(self) -> Sequence[str]:
        """The modules of the project."""
        return self._project.names() if self._project is not None else ()

    def exports(self, module: str) -> Mapping[str, Entry]:
        """What a module exports; empty when it cannot be found or read."""
        file = self.module(module)
        return _exports(file.text, file.name) if file is not None else {}

    def module(self, name: str) -> ModuleFile | None:
        """The file of a module; None when it cannot be found or read."""
        if self._project is None or self._folder is None:
            return None
        try:
            return self._project.find(name, self._folder)
        except LoonError:
            return None  # the checker says what is wrong with it, where it is used


@lru_cache(maxsize=64)
def _exports(text: str, name: str) -> Mapping[str, Entry]:
    return exports(text, name)
