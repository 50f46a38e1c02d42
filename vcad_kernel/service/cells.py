"""Cells that share one Loon environment, and how that environment is made again when it is lost.

An environment is nothing but the outcome of a history of cells, and of names taken back between
them. A request names the history it builds on; where the live environment has exactly that history it
is used as it is, otherwise a fresh one runs the history again, silently. Running a cell again first
takes back what its earlier run defined, so that no name outlives the text that made it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.cad.parameters import Declarations
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import LoonNameError, VcadError
from vcad_kernel.ir.parameter import Parameter
from vcad_kernel.loon.compile import Environment
from vcad_kernel.loon.diagnostics import Diagnostic
from vcad_kernel.loon.display import display
from vcad_kernel.loon.modules import Project
from vcad_kernel.loon.reference import Entry
from vcad_kernel.loon.runtime.limits import STANDARD, Limits
from vcad_kernel.loon.runtime.values import UNIT
from vcad_kernel.loon.source import Source
from vcad_kernel.service.bindings import outline, to_loon
from vcad_kernel.service.protocol import Definition, HistoryEntry, Output, TakenBack

__all__ = ["CellEnvironment"]

_SHORT = 200
"""Characters of a value that a definition shows."""

_NOTHING = object()
"""The value of a name that is bound to none: a macro, a type."""


def _silent(_text: str) -> None:
    """Output of a replayed cell: it was shown when the cell first ran."""


class CellEnvironment:
    """One environment and the history that made it.

    folder: where ``use`` looks for modules; None lets no module be used. limits: what one cell may use.
    """

    def __init__(self, folder: Path | None = None, limits: Limits = STANDARD) -> None:
        self._output: Output = _silent
        self._folder = folder
        self._environment = Environment(
            prelude=PRELUDE,
            stdout=self._print,
            project=None if folder is None else Project(folder),
            limits=limits,
            declare=lambda name, default, options: self._declarations.declare(name, default, options),
        )
        self._declarations = Declarations()
        """Of the cell that is running, or that ran last."""
        self._history: list[HistoryEntry] = []
        self._owner: dict[str, str] = {}
        """Name → id of the cell that defined it last."""
        self._given: dict[str, str] = {}
        """Name that a host bound → what there is to say about it."""
        self._shown: dict[str, tuple[object, str]] = {}
        """Name → its value and that value's display: values never change, and most stay."""

    def _print(self, text: str) -> None:
        self._output(text)

    @property
    def loon(self) -> Environment:
        """The Loon environment itself, for looking names up."""
        return self._environment

    def is_outcome_of(self, prelude: Sequence[HistoryEntry], folder: Path | None) -> bool:
        """Whether this environment is what ``prelude`` would make in that folder."""
        return folder == self._folder and list(prelude) == self._history

    def replay(self, prelude: Sequence[HistoryEntry]) -> None:
        """Do again what was done before, without the output; its failures were told then."""
        for one in prelude:
            if isinstance(one, TakenBack):
                self.take_back(one.names)
                continue
            try:
                self.run(one, _silent)
            except VcadError:
                continue

    def run(self, cell: CellSource, output: Output) -> object:
        """Run a cell and give its Loon value.

        Raises: VcadError; what the cell defined before it failed stays, and it is in the history.
        """
        self._forget(name for name, owner in list(self._owner.items()) if owner == cell.cell_id)
        self._history.append(cell)
        for name, value in cell.bindings.items():
            self._define(name, to_loon(value, name), cell.cell_id, "A value from Python.")
        self._output = output
        self._declarations = Declarations(cell.parameters)
        try:
            value = self._environment.run(Source(cell.title, cell.source), cell=True)
            self._declarations.finish()
        finally:
            self._output = _silent
            for name in self._environment.last_defined:
                self._owner[name] = cell.cell_id
                self._given.pop(name, None)
        if cell.bind and value is not UNIT and self._may_bind(cell.bind, cell.cell_id):
            self._define(cell.bind, value, cell.cell_id, "The value of the cell that has this name.")
        return value

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What the cell that ran last declared with ``defparam``."""
        return self._declarations.declared

    def check(self, cell: CellSource) -> tuple[Diagnostic, ...]:
        """What the checker finds in a cell's text; nothing is run or changed, so any thread may ask."""
        own = [name for name, owner in list(self._owner.items()) if owner == cell.cell_id]
        given = {name: outline(value, name) for name, value in cell.bindings.items()}
        return self._environment.check(Source(cell.title, cell.source), without=own, given=given)

    def take_back(self, names: Collection[str]) -> None:
        """Forget definitions; what they shadowed is back."""
        self._forget(names)
        self._history.append(TakenBack(frozenset(names)))

    def _forget(self, names: Iterable[str]) -> None:
        gone = {name for name in names if name in self._owner}
        self._environment.forget(gone)
        for name in gone:
            del self._owner[name]
            self._given.pop(name, None)

    def _may_bind(self, name: str, cell_id: str) -> bool:
        """Whether a cell's value may take this name: not from the cell itself, nor from Loon.

        ``%%loon sphere`` names a part for Python; it must not take `sphere` from all later cells.
        """
        if name in self._owner:
            return self._owner[name] != cell_id
        return self._value(name) is _NOTHING

    def _define(self, name: str, value: object, cell_id: str, doc: str) -> None:
        """Bind a name on behalf of a cell."""
        self._environment.define(name, value)
        self._owner[name] = cell_id
        self._given[name] = doc

    def names(self) -> frozenset[str]:
        """The names of values that cells have defined or been given and not taken back."""
        return frozenset(name for name in self._owner if self._value(name) is not _NOTHING)

    def _value(self, name: str) -> Any:
        try:
            return self._environment.lookup(name)
        except LoonNameError:
            return _NOTHING

    def definitions(self) -> Mapping[str, Definition]:
        """All names, macros too, and what there is to say of each; later runs leave this answer as it is."""
        entries = self._environment.entries()
        found = {}
        for name, owner in self._owner.items():
            entry = entries.get(name)
            if entry is None or name in self._given:
                entry = Entry(name, "variable", name, doc=self._given.get(name, ""))
            found[name] = Definition(entry, owner, self._display(name), name in self._given)
        self._shown = {name: kept for name, kept in self._shown.items() if name in found}
        return {one.entry.name: one for one in sorted(found.values(), key=self._order())}

    def _order(self) -> Callable[[Definition], tuple[int, int, int, str]]:
        """Definitions by the order in which their cells ran last, and of one cell as they stand in it."""
        ran = {cell: number for number, cell in enumerate(dict.fromkeys(self._owner.values()))}

        def key(one: Definition) -> tuple[int, int, int, str]:
            place = one.entry.place
            line, column = (0, 0) if place is None else (place.line, place.column)
            return ran[one.cell_id], line, column, one.entry.name

        return key

    def _display(self, name: str) -> str:
        """The beginning of a name's value; empty for a function, whose display says nothing more."""
        value = self._value(name)
        known = self._shown.get(name)
        if known is None or known[0] is not value:
            known = value, "" if value is _NOTHING or callable(value) else _shortened(value)
            self._shown[name] = known
        return known[1]


def _shortened(value: object) -> str:
    text = display(value, _SHORT)
    return text if len(text) <= _SHORT else text[:_SHORT] + "…"
