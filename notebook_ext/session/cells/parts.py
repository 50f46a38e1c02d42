"""The parts that the cells of a session have made, and the views that show them.

Which cell made which part, and which came last; the live view of all named parts, and those below the cells.
On the session's thread; others may read. Knows which widget shows what; not how parts come about.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from notebook_ext.session.cells.running_cell import RunningCell
from notebook_ext.session.node_names import node_id_of
from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from notebook_ext.display.part import Part
    from notebook_ext.session.cells.outputs import CellOutputs
    from notebook_ext.viewer.inline import InlineView
    from notebook_ext.viewer.live import LiveView

__all__ = ["Parts"]


class Parts:
    """The parts that have a name, and the one that was made last, named or not. No view is made unasked."""

    def __init__(self, shell: InteractiveShell, running: RunningCell) -> None:
        self._shell = shell
        self._running = running
        self._parts: dict[str, Part] = {}
        self._makers: dict[str, str] = {}
        """Name of a part → id of the cell that made it last."""
        self.latest: Part | None = None
        """None when there is none, or it was forgotten."""
        self.live_view: LiveView | None = None
        """None until `view` is asked for."""
        self._outputs: CellOutputs | None = None
        self._said = ""
        self._closed = False

    # ---- which there are -------------------------------------------------------------------

    @property
    def named(self) -> Mapping[str, Part]:
        """In the order in which their names first appeared."""
        return self._parts

    def of_cell(self, cell_id: str) -> set[str]:
        """Names of the parts that a cell made last."""
        return {name for name, maker in self._makers.items() if maker == cell_id}

    def maker_of(self, name: str) -> str:
        """The id of the cell that made a part last. Raises: ServiceFailure NODE_NOT_FOUND."""
        if name not in self._makers:
            raise ServiceFailure(
                ErrorCode.NODE_NOT_FOUND,
                f"no part {name!r}; the parts are {', '.join(self._parts) or 'none yet'}",
                details={"node_id": node_id_of(name)},
            )
        return self._makers[name]

    def keep(self, part: Part, name: str | None, cell_id: str) -> None:
        """A cell has made a part; without a name it is only the latest."""
        self.latest = part
        if name is not None:
            self._parts[name] = part
            self._makers[name] = cell_id

    def drop(self, names: Collection[str | None]) -> None:
        """Forget parts of these names, and show them no longer; Python's own names are left alone."""
        if self.latest is not None and self.latest.name in names:
            self.latest = None
        for name in [name for name in self._parts if name in names]:
            del self._parts[name], self._makers[name]
            if self.live_view is not None:
                self.live_view.remove(name)

    # ---- views -----------------------------------------------------------------------------

    def show(self, name: str, part: Part) -> None:
        """Have the live view, if there is one, show what has been made of a name."""
        if self.live_view is not None:
            self.live_view.show(name, part.part_meshes, part.part_keys)

    def say(self, line: str) -> None:
        """Have a line stand below the live view, now or once it is shown; from any thread."""
        self._said = line
        live = self.live_view
        if live is not None:
            live.say(line)

    def view(self) -> LiveView:
        """The live view, one widget for the whole session; the same one at every call.

        Raises: RuntimeError in a terminal, and once the extension has been unloaded.
        """
        if self._closed:
            raise RuntimeError("this session is closed; %load_ext notebook_ext begins another")
        if not self._running.has_front_end:
            raise RuntimeError("the live view needs a notebook; in a terminal use `part.png()`")
        if self.live_view is None:
            from notebook_ext.viewer.live import LiveView

            self.live_view = LiveView()
            self.live_view.say(self._said)
            for name, part in self._parts.items():
                self.show(name, part)
        return self.live_view

    def inline(self, part: Part) -> InlineView | None:
        """The view that shows a part in the running cell; None where no widget can be shown."""
        if self._closed or not self._running.has_front_end:
            return None
        if self._outputs is None:
            from notebook_ext.session.cells.outputs import CellOutputs

            self._outputs = CellOutputs(self._shell, self._running)
        return self._outputs.view(part.part_meshes, part.part_keys, part.summary)

    def close(self) -> None:
        """Free every widget; parts that Python holds show themselves as pictures."""
        self._closed = True
        if self._outputs is not None:
            self._outputs.close()
            self._outputs = None
        if self.live_view is not None:
            self.live_view.close()
            self.live_view = None
