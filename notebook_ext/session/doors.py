"""The doors of a session for others: the gateway, the person's approvals, the pages that show the notebook.

Each is made when it is first asked for; a session that nobody enters pays for none. Knows how they are made
and closed, not what comes through them.
"""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, cast

from notebook_ext.notebook_comm import FrontEnds
from notebook_ext.session.state_file import StateFile
from notebook_ext.sketchup.link import settings_in_force

if TYPE_CHECKING:
    from collections.abc import Callable

    from IPython.core.interactiveshell import InteractiveShell

    from notebook_ext.agents.approval.approvals import Approvals
    from notebook_ext.agents.approval.cell_dock import CellDock
    from notebook_ext.gateway.gateway import Gateway
    from notebook_ext.session.log import SessionLog
    from notebook_ext.session.project import Project
    from notebook_ext.session.session import Session

__all__ = ["Doors"]


class Doors:
    """What a `Session` has for those who come from outside. clock: by which questions wait, seconds."""

    _log: SessionLog
    _project: Project

    def __init__(self, shell: InteractiveShell, clock: Callable[[], float]) -> None:
        self._shell = shell
        self._clock = clock
        self.front_ends = FrontEnds()
        """The pages that show this kernel's notebook."""
        self._gateway: Gateway | None = None
        self._approvals: Approvals | None = None
        self._cell_dock: CellDock | None = None
        self._making_approvals = RLock()

    @property
    def gateway(self) -> Gateway:
        """The door for other programs: agents, scripts, tests. Looking at it opens nothing."""
        if self._gateway is None:
            from notebook_ext.gateway.opening import gateway_of

            self._gateway = gateway_of(self._shell, cast("Session", self))
        return self._gateway

    def approvals(self) -> Approvals:
        """What of the agents' wishes waits for an answer, and the policy; in a notebook, shown, a panel."""
        with self._making_approvals:
            if self._approvals is None:
                from notebook_ext.agents.approval.approvals import Approvals

                state = StateFile(
                    lambda: self._project.workspace, elsewhere=lambda: settings_in_force().state_path
                )
                self._approvals = Approvals(
                    self.cell_dock,
                    workspace=lambda: self._project.workspace,
                    record=self._log,
                    state=state,
                    clock=self._clock,
                )
                panels = self._approvals.panels
                self._approvals.on_panels(self.front_ends.keep_told("asks", panels))
            return self._approvals

    @property
    def cell_dock(self) -> CellDock | None:
        """The place below the latest cell; None outside of a kernel. To be made on the cells' thread."""
        with self._making_approvals:
            if self._cell_dock is None and getattr(self._shell, "kernel", None) is not None:
                from notebook_ext.agents.approval.cell_dock import CellDock

                self._cell_dock = CellDock(self._shell)
            return self._cell_dock

    def close_doors(self) -> None:
        """Let nobody in any more; who waits for an answer gets one."""
        for door in (self._approvals, self._cell_dock, self._gateway):
            if door is not None:
                door.close()
