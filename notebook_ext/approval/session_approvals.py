"""A session's approvals and the place where its questions appear: made when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from notebook_ext.approval.approvals import Approvals
    from notebook_ext.approval.panel.cell_dock import CellDock
    from notebook_ext.front_end.notebook_comm import FrontEnds
    from notebook_ext.state_file import StateFile

__all__ = ["SessionApprovals"]


class SessionApprovals:
    """workspace, record, clock: as of `Approvals`. front_ends: the pages that show the questions.

    state: keeps the policy.
    """

    def __init__(
        self,
        shell: InteractiveShell,
        workspace: Callable[[], Path],
        record: Callable[[str, Mapping[str, Any]], object],
        state: StateFile,
        front_ends: FrontEnds,
        clock: Callable[[], float],
    ) -> None:
        self._shell = shell
        self._workspace = workspace
        self._record = record
        self._state = state
        self._front_ends = front_ends
        self._clock = clock
        self._approvals: Approvals | None = None
        self._dock: CellDock | None = None
        self._making = RLock()

    def made(self) -> Approvals:
        """The approvals; the same at every call, on any thread."""
        with self._making:
            if self._approvals is None:
                from notebook_ext.approval.approvals import Approvals

                self._approvals = Approvals(
                    self.dock,
                    workspace=self._workspace,
                    record=self._record,
                    state=self._state,
                    clock=self._clock,
                )
                panels = self._approvals.panels
                self._approvals.on_panels(self._front_ends.keep_informed("asks", panels))
            return self._approvals

    @property
    def dock(self) -> CellDock | None:
        """The place below the latest cell; None outside of a kernel. To be made on the cells' thread."""
        with self._making:
            if self._dock is None and getattr(self._shell, "kernel", None) is not None:
                from notebook_ext.approval.panel.cell_dock import CellDock

                self._dock = CellDock(self._shell)
            return self._dock

    def close(self) -> None:
        """Ask nothing more; questions that wait are answered with no."""
        for part in (self._approvals, self._dock):
            if part is not None:
                part.close()
