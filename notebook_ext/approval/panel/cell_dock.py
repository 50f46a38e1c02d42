"""Shows something below the cell that runs, or that ran last, from any thread.

Output belongs to the request that it answers: what a foreign thread publishes would follow the latest message
of all, which may be a slider's. Here the last cell's own place is kept. Knows IPython's shell and no widgets.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from notebook_ext.front_end.shell_channel import has_sub_shells, runs_a_cell
from vcad_kernel.system.threads import interrupt_main_thread, started

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["CellDock"]

_T = TypeVar("_T")


class CellDock:
    """The place below the latest cell of a shell with a kernel. Make it on the thread that runs cells."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._kernel: Any = getattr(shell, "kernel", None)
        self._context = contextvars.copy_context()
        self._follows = True
        shell.events.register("pre_run_cell", self._begun)

    @property
    def holds_answers_up(self) -> bool:
        """Whether clicks may be waiting for a cell to end: one runs, and no front end uses sub-shells."""
        return runs_a_cell(self._kernel) and not self.has_sub_shells

    @property
    def has_sub_shells(self) -> bool:
        """Whether a front end uses sub-shells, so that it can answer while a cell runs."""
        return has_sub_shells(self._kernel)

    def inside(self, work: Callable[[], _T]) -> _T:
        """Do something as if the cell did it, so that what it opens or shows belongs to the cell."""
        return self._context.copy().run(work)

    def publish(self, data: dict[str, Any], display_id: str, *, update: bool = False) -> None:
        """Show a mime bundle below the cell, or show it in place of what has this id."""
        publish: Callable[..., None] = self._shell.display_pub.publish
        self.inside(lambda: publish(data, transient={"display_id": display_id}, update=update))

    def close(self) -> None:
        """Follow the cells no longer; twice is once."""
        if self._follows:
            self._follows = False
            self._shell.events.unregister("pre_run_cell", self._begun)

    def _begun(self, _info: object = None) -> None:
        try:
            self._context = contextvars.copy_context()
        except KeyboardInterrupt:  # IPython would report it, and run the cell all the same
            started(threading.Thread(target=interrupt_main_thread, name="vcad interrupt", daemon=True))
