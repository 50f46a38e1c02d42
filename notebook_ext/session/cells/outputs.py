"""Inline views by the cell whose output shows them, so that a cell run again leaks nothing.

The n-th view of a cell that is run again is the same widget with new content: the camera stays, and
nothing piles up in the kernel. Views that the new run no longer shows are closed when it ends, unless
it has failed: the run that mends it finds them, and the camera, as they were.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from notebook_ext.session.cells.running_cell import RunningCell
from notebook_ext.viewer.inline import InlineView
from vcad_kernel.geometry.tri_mesh import PartMesh

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["CellOutputs"]


class CellOutputs:
    """Owns the inline views of a session."""

    def __init__(self, shell: InteractiveShell, running: RunningCell) -> None:
        self._shell = shell
        self._running = running
        self._views: dict[str, list[InlineView]] = {}
        self._current: tuple[str, int] | None = None
        self._shown = 0
        shell.events.register("post_run_cell", self._end_of_cell)

    def view(self, parts: Sequence[PartMesh], keys: Sequence[Hashable], caption: str) -> InlineView:
        """The next view of the running cell, showing these parts over this caption."""
        count = self._running.execution_count
        cell = self._running.front_end_id or f"execution:{count}"
        if self._current != (cell, count):
            self._current, self._shown = (cell, count), 0
        views = self._views.setdefault(cell, [])
        if self._shown < len(views):
            view = views[self._shown]
            view.update(parts, keys, caption=caption)
        else:
            view = InlineView(parts, keys, caption=caption)
            views.append(view)
        self._shown += 1
        return view

    def _end_of_cell(self, result: Any) -> None:
        """Close what an earlier run of this cell showed and this run does not."""
        cell = self._running.front_end_id
        if cell is None or cell not in self._views:
            return
        ran_views = self._current is not None and self._current[0] == cell
        self._current = None
        if not result.success:
            return
        keep = self._shown if ran_views else 0
        for view in self._views[cell][keep:]:
            view.close()
        del self._views[cell][keep:]

    def close(self) -> None:
        """Close every view and let go of the shell."""
        self._shell.events.unregister("post_run_cell", self._end_of_cell)
        for views in self._views.values():
            for view in views:
                view.close()
        self._views.clear()
