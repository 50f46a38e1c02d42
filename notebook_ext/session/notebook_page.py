"""What a session does in the notebook that its page shows, beside what the views under its cells show.

A value that a slider has chosen is written into the cell when the person asks for it; the picture that a
saved notebook holds follows its view once that has been at rest; how cells stand is shown beside each, and
the graph that the page shows is the one there is now; and a cell that is in no notebook any more is not run
again. Knows pages and cells; not what changes cells.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from notebook_ext.front_end.notebook_comm import FrontEnds, ShownNotebook
from notebook_ext.language.loon_text import loon_cell
from notebook_ext.session.reactive.trigger_window import Trigger, TriggerWindow
from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, ServiceFailure, VcadError
from vcad_kernel.settings import Settings

if TYPE_CHECKING:
    from notebook_ext.display.part import Part
    from notebook_ext.session.cells.cells import Cells
    from notebook_ext.session.cells.parameters import Ran
    from notebook_ext.session.log.log import SessionLog
    from notebook_ext.session.reactive.reactions import CellState
    from notebook_ext.session.requests import RequestQueue
    from vcad_kernel.ir.parameter import Number

__all__ = ["NotebookPage"]

_REST: Final = 1000
"""Milliseconds without a change after which a picture is kept, so that a drag saves one."""
_SOON: Final = 40
"""The same for how cells stand: under a steady stream that is sent five times a second."""


_WEIGHTS: Final = ("followed", "moved", "out of date", "pending", "failed", "running")
"""States of cells; each is worth more than those before it."""


class NotebookPage:
    """front_ends: the pages. put: takes triggers into the window of cascades. is_held: of `TriggerWindow`.

    states: how cells stand; from any thread. graph: the picture of the graph as it is now, HTML; on the
    session's.
    """

    def __init__(
        self,
        front_ends: FrontEnds,
        cells: Cells,
        queue: RequestQueue,
        log: SessionLog,
        *,
        put: Callable[[Trigger], object],
        is_held: Callable[[], bool],
        states: Callable[[], Mapping[str, CellState]],
        graph: Callable[[], str],
    ) -> None:
        self._front_ends = front_ends
        self._cells = cells
        self._queue = queue
        self._log = log
        self._put = put
        self._notebooks: dict[str, tuple[str, ...]] = {}
        """Path of a notebook → the ids of its cells, in their order."""
        self._ever: set[str] = set()
        """The ids of all cells that have been in a notebook."""
        self._left_out: frozenset[str] = frozenset()
        self._at_rest = TriggerWindow(
            self._keep_pictures,
            settings=lambda: Settings(trigger_coalesce_ms=_REST),
            is_held=is_held,
        )
        self._soon = TriggerWindow(self._tell, settings=lambda: Settings(trigger_coalesce_ms=_SOON))
        self._states = states
        self._graph_now = graph
        self._graph = ""
        """The picture of the graph that was sent last; empty where none was requested."""
        self._sent: list[dict[str, Any]] = []
        self._tell_states = front_ends.keep_informed("cell_states", lambda: self._sent)
        self._tell_graph = front_ends.keep_informed("graph", lambda: self._graph)
        cells.parts.on_refreshed = self._refreshed
        cells.parameters.on_write = self.write_values

    def released(self) -> None:
        """No cell runs any more."""
        self._at_rest.released()

    def settle(self) -> None:
        """Send and save all that is due, and wait for it."""
        self._soon.settle()
        self._at_rest.settle()

    def close(self) -> None:
        """Tell and keep nothing any more."""
        self._soon.stop()
        self._at_rest.stop()

    def resize_view(self, number: int, height: int | None, width: int | None = None) -> None:
        """A view under a cell is so high, or so wide where that is narrow, CSS pixels; from any thread."""
        self._cells.parts.resize(number, height, width)

    # ---- how cells stand -------------------------------------------------------------------

    def changed(self) -> None:
        """Cells may stand otherwise than before; from any thread, and waits for nothing."""
        if self._front_ends.has_pages:
            with suppress(CapabilityUnavailable):  # no thread can be started: the views say it, too
                self._soon.put(Trigger("cell", ""))

    def show_graph(self, html: str) -> None:
        """The page shows the graph, as this: from now on it follows what changes."""
        if html != self._graph:
            self._graph = html
            self._tell_graph()  # a page shows what it received last wherever it draws the graph
        self.changed()  # it may be another by now

    def _tell(self, _: frozenset[Trigger]) -> None:
        """Send pages how cells stand, and the graph where it is shown; what they know already is not sent."""
        states = [
            {
                "cell_id": cell_id.partition(":")[0],
                "state": state.state,
                "said": state.said,
                "value": state.value,
            }
            # of several that one cell of the notebook makes, the page shows the last
            for cell_id, state in sorted(
                self._states().items(), key=lambda each: _WEIGHTS.index(each[1].state)
            )
        ]
        if states != self._sent:
            self._sent = states
            self._tell_states()
        if self._graph:
            with suppress(CapabilityUnavailable):  # the session has ended meanwhile
                self._queue.submit(self._follow_graph)

    def _follow_graph(self) -> None:
        html = self._graph_now()
        if html != self._graph:
            self._graph = html
            self._tell_graph()

    # ---- which cells there are -------------------------------------------------------------

    def has_cells(self, notebooks: Mapping[str, Sequence[str]]) -> None:
        """A page tells which cells its notebooks have; from any thread."""
        self.changed()  # the page may have come just now
        with suppress(CapabilityUnavailable):  # the session has ended meanwhile
            self._queue.submit(lambda: self._note_cells(notebooks))

    def _note_cells(self, notebooks: Mapping[str, Sequence[str]]) -> None:
        self._cells.parts.page_has_come()
        self._notebooks.update({path: tuple(cells) for path, cells in notebooks.items()})
        present = {cell for cells in self._notebooks.values() for cell in cells}
        self._ever |= present
        dependencies = self._cells.dependencies
        # of a Python cell that makes several, the id of each begins with its own
        gone = {each for each in dependencies.cells if each.partition(":")[0] in self._ever - present}
        back = self._left_out - gone
        self._left_out = frozenset(gone)
        dependencies.leave_out(gone)
        for cell_id in back & set(dependencies.due()):
            self._put(Trigger("cell", cell_id))

    # ---- the picture that is saved ---------------------------------------------------------

    def _refreshed(self, cell_id: str) -> None:
        if self._front_ends.has_pages:
            self._at_rest.put(Trigger("cell", cell_id))

    def _keep_pictures(self, triggers: frozenset[Trigger]) -> None:
        """Have the notebook hold what its views show."""
        for cell_id in sorted(trigger.key for trigger in triggers):
            for model_id, part in self._cells.parts.take_unsaved(cell_id):
                try:
                    self._keep(cell_id.partition(":")[0], model_id, part)
                except VcadError as refused:  # the notebook keeps what it has; the view is right
                    self._log.event("picture_not_kept", level="warning", error_code=str(refused.error_code))

    def _keep(self, cell_id: str, model_id: str, part: Part) -> None:
        bundle = {"image/png": b64encode(part.saved_picture).decode("ascii")}
        self._of_cell(
            cell_id,
            lambda notebook: notebook.ask(
                "set_output", cell=cell_id, model_id=model_id, bundle=bundle, said=repr(part)
            ),
        )

    # ---- values into the source ------------------------------------------------------------

    def write_values(self, ran: Ran, values: Mapping[str, Number]) -> None:
        """Have the text of a cell say these values as the defaults of its parameters; it can be undone.

        Waits for the page, so not on the session's thread.
        Raises: VcadError where the text is not what ran, a default is computed, or no page shows the cell.
        """
        from vcad_kernel.cad.parameters import with_defaults

        cell_id, source = ran.cell.cell_id, ran.cell.source
        body = source.lstrip("\n")
        above = source[: len(source) - len(body)]

        def write(notebook: ShownNotebook) -> None:
            text = str(notebook.ask("get", cell=cell_id)["cell"]["source"])
            written = loon_cell(text)
            if written is None or written.text.strip() != body.strip():
                raise ServiceFailure(
                    ErrorCode.REVISION_CONFLICT,
                    "the cell's text is another than the one that ran",
                    fix="run the cell, or change the defaults by hand",
                )
            there = with_defaults(written.text, values)
            notebook.ask("set", cell=cell_id, source=text[: written.start] + there, expected=text, agent="")

        self._of_cell(cell_id, write)
        now = above + with_defaults(body, values)
        self._queue.do(partial(self._cells.rewritten, ran, now, values.keys()))
        self._put(Trigger("cell", cell_id))

    def _of_cell(self, cell_id: str, work: Callable[[ShownNotebook], object]) -> None:
        """Do something with the notebook that has a cell. Raises: VcadError; what the work raises."""
        shown = self._front_ends.own()
        known = [each for each in shown if cell_id in self._notebooks.get(each.path, ())]
        for notebook in known or shown:
            work(notebook)
            return
        raise ServiceFailure(
            ErrorCode.CAPABILITY_UNAVAILABLE,
            "no page shows the notebook of this cell",
            fix="open it in JupyterLab, where the workbench's extension is",
        )
