"""Cells that share one Loon environment, and how that environment is made again when it is lost.

An environment is nothing but the outcome of a history of cells. A request names the history it
builds on; where the live environment has exactly that history it is used as it is, otherwise a
fresh one runs the history again, silently. Running a cell again first takes back what its earlier
run defined, so that no name outlives the text that made it.
"""

from __future__ import annotations

from collections.abc import Sequence

from vcad_kernel.cad.library import CAD_LIBRARY
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import LoonNameError, VcadError
from vcad_kernel.loon.compile import Environment
from vcad_kernel.loon.runtime.values import UNIT
from vcad_kernel.loon.source import Source
from vcad_kernel.service.bindings import to_loon
from vcad_kernel.service.protocol import Output

__all__ = ["CellEnvironment"]


def _silent(_text: str) -> None:
    """Output of a replayed cell: it was shown when the cell first ran."""


class CellEnvironment:
    """One environment and the history of cells that made it."""

    def __init__(self) -> None:
        self._output: Output = _silent
        self._environment = Environment(prelude=(CAD_LIBRARY,), stdout=self._print)
        self._history: list[CellSource] = []
        self._owner: dict[str, str] = {}
        """Name → id of the cell that defined it last."""

    def _print(self, text: str) -> None:
        self._output(text)

    @property
    def loon(self) -> Environment:
        """The Loon environment itself, for looking names up."""
        return self._environment

    def has_history(self, prelude: Sequence[CellSource]) -> bool:
        """Whether this environment is what ``prelude`` would make."""
        return list(prelude) == self._history

    def replay(self, prelude: Sequence[CellSource]) -> None:
        """Run cells that have run before, without their output; their failures were told then."""
        for cell in prelude:
            try:
                self.run(cell, _silent)
            except VcadError:
                continue

    def run(self, cell: CellSource, output: Output) -> object:
        """Run a cell and give its Loon value.

        Raises: VcadError; what the cell defined before it failed stays, and it is in the history.
        """
        self._environment.forget({name for name, owner in self._owner.items() if owner == cell.cell_id})
        self._owner = {name: owner for name, owner in self._owner.items() if owner != cell.cell_id}
        self._history.append(cell)
        for name, value in cell.bindings.items():
            self._define(name, to_loon(value, name), cell.cell_id)
        self._output = output
        try:
            value = self._environment.run(Source(cell.title, cell.source), cell=True)
        finally:
            self._output = _silent
            for name in self._environment.last_defined:
                self._owner[name] = cell.cell_id
        if cell.bind and value is not UNIT and self._may_bind(cell.bind, cell.cell_id):
            self._define(cell.bind, value, cell.cell_id)
        return value

    def _may_bind(self, name: str, cell_id: str) -> bool:
        """Whether a cell's value may take this name: not from the cell itself, nor from Loon.

        ``%%loon sphere`` names a part for Python; it must not take `sphere` from all later cells.
        """
        if name in self._owner:
            return self._owner[name] != cell_id
        try:
            self._environment.lookup(name)
        except LoonNameError:
            return True
        return False

    def _define(self, name: str, value: object, cell_id: str) -> None:
        """Bind a name on behalf of a cell."""
        self._environment.define(name, value)
        self._owner[name] = cell_id

    def names(self) -> frozenset[str]:
        """Everything that cells have defined or been given and not taken back."""
        return frozenset(self._owner)
