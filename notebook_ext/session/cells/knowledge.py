"""What the names of a session mean, as it stood after the last run: for help while a cell computes.

A value that never changes, published by the session after every run, so any thread may read it. Display
forms are text already; a part's line of figures becomes text when it is asked for, since exact figures
take their time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from notebook_ext.display.part import Part
    from vcad_kernel.loon.reference import Entry
    from vcad_kernel.service.protocol import Definition

__all__ = ["FiguresLines", "SessionKnowledge"]


class FiguresLines(Mapping[str, str]):
    """Name of a part → its line of figures, as far as they have been found: who asks cannot wait."""

    def __init__(self, parts: Mapping[str, Part]) -> None:
        self._parts = dict(parts)

    def __getitem__(self, name: str) -> str:
        return self._parts[name].known_summary

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)


class SessionKnowledge:
    """Everything bound outside a cell's text; a `vcad_kernel.loon.analysis.knowledge.Knowledge`.

    definitions: what the cells have defined, by name. parts: name → its line of figures.
    cells: id → how errors call the cell. folder: where ``use`` looks.
    """

    def __init__(
        self,
        definitions: Mapping[str, Definition] = MappingProxyType({}),
        parts: Mapping[str, str] = MappingProxyType({}),
        cells: Mapping[str, str] = MappingProxyType({}),
        folder: Path | None = None,
        marks: Callable[[], Mapping[str, str]] = lambda: MappingProxyType({}),
    ) -> None:
        self.definitions = definitions
        self.marks = marks
        """Gives which cells are out of date by now, each with the reason."""
        self.parts = parts
        self.cells = cells
        self.folder = folder
        self._taken_in: Mapping[str, Entry] = {}

    # ---- for the analysis --------------------------------------------------------------------

    def entries(self) -> Mapping[str, Entry]:
        """Every name that a cell can use without defining it."""
        return self._entries

    @cached_property
    def _entries(self) -> Mapping[str, Entry]:
        defined = {name: definition.entry for name, definition in self.definitions.items()}
        return {**_library_entries(), **defined, **self._taken_in}

    def modules(self) -> Sequence[str]:
        """The modules of the notebook's folder, as ``use`` names them."""
        if self.folder is None:
            return ()
        from vcad_kernel.loon.modules.modules import Project

        return Project(self.folder).names()

    def exports(self, module: str) -> Mapping[str, Entry]:
        """What a module exports, from its text; empty when there is no such module."""
        from vcad_kernel.errors import LoonError
        from vcad_kernel.loon.modules.modules import Project

        if self.folder is None:
            return {}
        try:
            file = Project(self.folder).find(module, self.folder)
        except LoonError:
            return {}  # the cell's own error says what is wrong with it
        return _exports(file.text, file.name)

    # ---- for the notebook ----------------------------------------------------------------------

    def taking_in(self, names: Sequence[str], variables: Mapping[str, Any]) -> SessionKnowledge:
        """The same, and the Python variables that a cell takes in by ``-i``."""
        if not names:
            return self
        from vcad_kernel.loon.reference import Entry

        wider = SessionKnowledge(self.definitions, self.parts, self.cells, self.folder, self.marks)
        wider._taken_in = {
            name: Entry(
                name, "variable", name, doc=f"A Python {type(variables[name]).__name__}, taken in by -i."
            )
            for name in names
            if name in variables
        }
        return wider

    def value(self, entry: Entry) -> str:
        """The figures or the display form of what a name is bound to; empty where there is none.

        entry: as it came from `entries`; one of a local variable has no value here.
        """
        defined = self.definitions.get(entry.name)
        if defined is None or defined.entry is not entry:
            return ""
        figures = self.parts.get(entry.name, "") if defined.given else ""
        return figures or defined.display


@lru_cache(maxsize=1)
def _library_entries() -> Mapping[str, Entry]:
    """The language's own names and the CAD library's."""
    from vcad_kernel.cad.reference import ENTRIES as LIBRARY
    from vcad_kernel.loon.reference_entries.table import ENTRIES as LANGUAGE

    return {**LANGUAGE, **LIBRARY}


@lru_cache(maxsize=64)
def _exports(text: str, name: str) -> Mapping[str, Entry]:
    from vcad_kernel.loon.analysis.exports import exports

    return exports(text, name)
