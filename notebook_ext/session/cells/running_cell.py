"""Which cell is running now, and what a front end sent of it.

Front ends that name their cells (JupyterLab does) let a cell that is run again replace itself; for
others the part's name does, and a nameless cell counts as new each time.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.front_end.shell_channel import runs_a_cell
from notebook_ext.language.loon_text import loon_cell
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import CapabilityUnavailable, VcadError
from vcad_kernel.system.threads import started

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["EXPRESSION", "NAMELESS", "ExecutionTurns", "RunningCell", "plain_copy"]

_BETWEEN: Final = 0.05
"""Seconds after a cell in which the next one that waits has begun: it took some milliseconds when tried."""

_LOOK: Final = 1.0
"""Seconds between two looks, at most."""

NAMELESS: Final = "nameless:"
"""Begins the id of a cell that can never be run again, having no name."""

EXPRESSION: Final = "%loon"
"""What errors call the text of a line, which has no name."""


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
    def is_watched(self) -> bool:
        """Whether a user may turn a view: not where a program runs a notebook to keep its outputs.

        nbconvert, papermill and nbval run cells that may not ask for input; Voilà does so, too, and then
        serves the page.
        """
        if os.environ.get("SERVER_SOFTWARE", "").startswith("voila"):
            return self.has_front_end
        content = self._request().get("content") or {}
        return self.has_front_end and bool(content.get("allow_stdin", True))

    @property
    def execution_count(self) -> int:
        """The number that the front end shows beside the cell."""
        # The shell's own `execution_count` is, since IPython 9, the next cell's while a cell runs.
        return int(self._shell.displayhook.prompt_count)

    @property
    def front_end_id(self) -> str | None:
        """The cell's id in the notebook, where the front end sends it."""
        cell_id = (self._request().get("metadata") or {}).get("cellId")
        return str(cell_id) if cell_id else None

    def _request(self) -> Mapping[str, Any]:
        """The front end's message that is being answered; empty in a terminal."""
        parent = self._shell.get_parent() if hasattr(self._shell, "get_parent") else None
        return parent or {}

    def cell(
        self, source: str, name: str | None, bindings: Mapping[str, Any], *, is_body: bool = False
    ) -> CellSource:
        """A cell of Loon text.

        is_body: whether it is the body of the running ``%%loon`` cell, so that lines count as in its editor.
        """
        cell_id = self.front_end_id
        if cell_id is not None:
            # a Python cell may make several: they are numbered from the second on
            execution = str((self._request().get("header") or {}).get("msg_id"))
            if execution != self._execution:
                self._execution, self._evaluations = execution, 0
            self._evaluations += 1
            if self._evaluations > 1:
                cell_id = f"{cell_id}:{self._evaluations}"
        else:
            cell_id = f"name:{name}" if name else self._new_id()
        above = 0
        if is_body:
            code = str((self._request().get("content") or {}).get("code") or "")
            written = loon_cell(code)
            above = 1 if written is None else max(1, code.count("\n", 0, written.start))
        title = name or f"cell [{self.execution_count}]"
        return CellSource(cell_id, "\n" * above + source, title, dict(bindings), name)

    def line(self, source: str) -> CellSource:
        """A ``%loon`` expression: each is a cell of its own."""
        return CellSource(self._new_id(), source, EXPRESSION)

    def _new_id(self) -> str:
        self._nameless += 1
        return f"{NAMELESS}{self._nameless}"


class ExecutionTurns:
    """When no cell runs or waits to: what follows from changes is done then.

    Front ends send the cells of "Run All" at once; between two of them the kernel is idle for some
    milliseconds. released: called, on a thread of its own, when what held a caller up has ended: the last
    cell, or a front end's message to the main shell, after which no event comes.
    """

    def __init__(
        self,
        shell: InteractiveShell,
        released: Callable[[], object],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._kernel = getattr(shell, "kernel", None)
        self._shell = shell
        self._released = released
        self._clock = clock
        self._ended = float("-inf")
        self._looks: object | None = None
        """Stands for the looks that go on until nothing runs; None while there are none."""
        if self._kernel is not None:
            shell.events.register("post_run_cell", self._end_of_cell)

    def is_held(self) -> bool:
        """Whether a cell runs, or another may follow at once; from any thread.

        Where it is, `released` is called once it is not.
        """
        if not self._is_busy:
            return False
        # looks that are under way end before `released` is called: see _look
        if self._looks is None:
            try:
                self._begin_to_look()
            except CapabilityUnavailable:  # its end would not be reported
                return False
        return True

    @property
    def _is_busy(self) -> bool:
        if self._kernel is None:
            return False
        return runs_a_cell(self._kernel) or self._clock() - self._ended < _BETWEEN

    def close(self) -> None:
        """Look no more."""
        if self._kernel is not None:
            self._shell.events.unregister("post_run_cell", self._end_of_cell)
            self._kernel = None

    def _end_of_cell(self, _result: object) -> None:
        self._ended = self._clock()
        with suppress(CapabilityUnavailable):  # who asks is not held up then
            self._begin_to_look()

    def _begin_to_look(self) -> None:
        """Look whether nothing runs any more, from now on; earlier looks end."""
        self._looks = looks = object()
        try:
            self._look_in(_BETWEEN, looks)
        except CapabilityUnavailable:  # no thread can be started
            self._looks = None
            raise

    def _look_in(self, seconds: float, looks: object) -> None:
        """Look after some time.

        The kernel is busy for a moment after a cell, as long as its answer is on its way; it is not
        reported when that is over.
        """
        timer = threading.Timer(seconds * 1.2, self._look, (seconds, looks))
        timer.daemon = True
        started(timer)

    def _look(self, seconds: float, looks: object) -> None:
        if self._looks is not looks or self._kernel is None:
            return
        if self._is_busy:
            with suppress(CapabilityUnavailable):  # who is held up asks again, and is let through
                self._look_in(min(2 * seconds, _LOOK), looks)
                return
        # in this order: a caller held up in between, which sees that one looks, is notified as well
        self._looks = None
        self._released()


def plain_copy(bindings: Mapping[str, Any]) -> dict[str, Any]:
    """What Python gives to a cell, as it is now: the cell may be replayed after it has changed."""
    from vcad_kernel.service.evaluation.bindings import to_plain

    try:
        return {name: to_plain(value, name) for name, value in bindings.items()}
    except VcadError as error:
        raise LoonCellFailed(error) from None
