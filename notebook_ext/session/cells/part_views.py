"""The views of a session's parts: the live one of all named parts, and those below the cells.

Knows which widget shows what; not how parts come about.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from notebook_ext.session.cells.running_cell import RunningCell

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from notebook_ext.display.part import Part
    from notebook_ext.session.cells.outputs import CellOutputs
    from notebook_ext.viewer.inline import InlineView
    from notebook_ext.viewer.live import LiveView

__all__ = ["PartViews"]


class PartViews:
    """The views of one kernel; none is made before it is asked for."""

    def __init__(self, shell: InteractiveShell, running: RunningCell) -> None:
        self._shell = shell
        self._running = running
        self._outputs: CellOutputs | None = None
        self._live: LiveView | None = None
        self._said = ""
        self._closed = False

    def show(self, name: str, part: Part) -> None:
        """A named part has been made, or made again."""
        if self._live is not None:
            self._live.show(name, part.part_meshes, part.part_keys)

    @property
    def shown_live(self) -> LiveView | None:
        """The live view, if somebody has asked for it."""
        return self._live

    def say(self, line: str) -> None:
        """Have a line stand below the live view, now or once it is shown; from any thread."""
        self._said = line
        live = self._live
        if live is not None:
            live.say(line)

    def remove(self, name: str) -> None:
        """A named part is no more."""
        if self._live is not None:
            self._live.remove(name)

    def live(self, parts: Mapping[str, Part]) -> LiveView:
        """The live view, one widget for the whole session, with these parts when it is made.

        Raises: RuntimeError in a terminal, and once the extension has been unloaded.
        """
        if self._closed:
            raise RuntimeError("this session is closed; %load_ext notebook_ext begins another")
        if not self._running.has_front_end:
            raise RuntimeError("the live view needs a notebook; in a terminal use `part.png()`")
        if self._live is None:
            from notebook_ext.viewer.live import LiveView

            self._live = LiveView()
            self._live.say(self._said)
            for name, part in parts.items():
                self.show(name, part)
        return self._live

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
        if self._live is not None:
            self._live.close()
            self._live = None
