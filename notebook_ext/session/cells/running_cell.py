"""Which cell is running now, and what a front end told us of it.

Front ends that name their cells (JupyterLab does) let a cell that is run again replace itself; for
others the part's name does, and a nameless cell counts as new each time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.language.loon_text import loon_cell
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import VcadError

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["RunningCell", "plain_copy"]


class RunningCell:
    """The running cell of one shell, asked for when needed."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._nameless = 0
        self._execution = ""
        self._evaluations = 0
        self.has_front_end = getattr(shell, "kernel", None) is not None
        """Whether widgets can be shown: a kernel, rather than a terminal."""

    @property
    def execution_count(self) -> int:
        """The number that the front end shows beside the cell."""
        # The shell's own `execution_count` is, since IPython 9, the next cell's while a cell runs.
        return int(self._shell.displayhook.prompt_count)

    @property
    def front_end_id(self) -> str | None:
        """The cell's id in the notebook, where the front end sends it."""
        found = (self._request().get("metadata") or {}).get("cellId")
        return str(found) if found else None

    def _request(self) -> Mapping[str, Any]:
        """The front end's message that is being answered; empty in a terminal."""
        parent = self._shell.get_parent() if hasattr(self._shell, "get_parent") else None
        return parent or {}

    def cell(
        self, source: str, name: str | None, bindings: Mapping[str, Any], lines_above: int = 0
    ) -> CellSource:
        """A cell of Loon text, below so many lines of something else."""
        cell_id = self._own_id() or (f"name:{name}" if name else self._new_id())
        title = name or f"cell [{self.execution_count}]"
        return CellSource(cell_id, "\n" * lines_above + source, title, dict(bindings), name)

    def lines_above_body(self) -> int:
        """How many lines of the running ``%%loon`` cell stand above its Loon text, as the editor counts."""
        code = str((self._request().get("content") or {}).get("code") or "")
        written = loon_cell(code)
        return 1 if written is None else max(1, code.count("\n", 0, written.start))

    def line(self, source: str) -> CellSource:
        """A ``%loon`` expression: each is a cell of its own."""
        return CellSource(self._new_id(), source, "%loon")

    def _own_id(self) -> str | None:
        """The front end's id; numbered from the second evaluation on, for a Python cell may make several."""
        found = self.front_end_id
        if found is None:
            return None
        execution = str((self._request().get("header") or {}).get("msg_id"))
        if execution != self._execution:
            self._execution, self._evaluations = execution, 0
        self._evaluations += 1
        return found if self._evaluations == 1 else f"{found}:{self._evaluations}"

    def _new_id(self) -> str:
        self._nameless += 1
        return f"nameless:{self._nameless}"


def plain_copy(bindings: Mapping[str, Any]) -> dict[str, Any]:
    """What Python gives to a cell, as it is now: the cell may be replayed after it has changed."""
    from vcad_kernel.service.evaluation.bindings import to_plain

    try:
        return {name: to_plain(value, name) for name, value in bindings.items()}
    except VcadError as error:
        raise LoonCellFailed(error) from None
