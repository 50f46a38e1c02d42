"""What a session does when something has changed: find what depends on it, say so, and bring it up to date.

    reactions = Reactions(queue, cells, linked, put=window.put, say=…)
    reactions.flush(triggers)          # of the window, on its thread: one cascade
    reactions.settle("cell 2")         # what cell 2 made is read: it is brought up to date first

A run of a cell changes what its names mean; the cells that use them are out of date. Where `auto` is on
they are evaluated again once the window has closed and no cell runs or waits to; where it is off, that is
only said. Knows cells and linked parts; not who watches files and SketchUp.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Final, Literal

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.session.cells.cells import Cells, Outcome
from notebook_ext.session.cells.loon_value import LoonValue
from notebook_ext.session.linked.sources import file_of
from notebook_ext.session.node_names import name_of, node_id_of
from notebook_ext.session.reactive.cascades import Cascades
from notebook_ext.session.reactive.dependencies import Reason
from notebook_ext.session.reactive.trigger_window import Trigger
from notebook_ext.session.requests import Closed, RequestQueue
from notebook_ext.session.settings import settings_in_force
from vcad_kernel.errors import ErrorCode, VcadError

if TYPE_CHECKING:
    from notebook_ext.session.linked.linked_parts import LinkedParts
    from notebook_ext.session.log.log import SessionLog
    from notebook_ext.session.reactive.graph_state import GraphState

__all__ = ["CellState", "Reactions", "said_of"]


@dataclass(frozen=True, slots=True)
class CellState:
    """How a cell stands with what it is built from."""

    state: Literal["pending", "running", "failed", "out of date", "followed", "moved"]
    """Followed: it was evaluated again by the last cascade; moved: it has other values than its text says."""
    said: str
    """Why, in words."""
    value: str = ""
    """Of one that has followed and gives no part: what it gives now, for its output says what it gave."""


class Reactions:
    """put: takes triggers into the window. changed: called when the state that is shown may have changed.

    ran: called after each run of a cell. marked: called when other cells are out of date than before, or for
    another reason.
    """

    def __init__(
        self,
        queue: RequestQueue,
        cells: Cells,
        linked: LinkedParts,
        log: SessionLog,
        put: Callable[[Trigger], object],
        changed: Callable[[], object] = lambda: None,
        ran: Callable[[], object] = lambda: None,
        marked: Callable[[], object] = lambda: None,
    ) -> None:
        self._queue = queue
        self._cells = cells
        self._linked = linked
        self._log = log
        self._put = put
        self._changed = changed
        self._has_run = ran
        self._marked = marked
        self._stepping = False
        self._marks: Mapping[str, str] = {}
        self._failed: frozenset[str] = frozenset()
        self._followed: Mapping[str, CellState] = {}
        """What the last cascade has evaluated, and earlier ones with a value."""
        self._cascade = 0
        """The number of that cascade."""
        self._pending: frozenset[str] = frozenset()
        self._auto: bool | None = None
        self.cascades = Cascades(queue, cells.dependencies, self)
        cells.on_run = self._ran
        cells.on_move = self._moved
        cells.on_read = self._read
        linked.on_push = self._pushed

    @property
    def auto(self) -> bool:
        """Whether cells that are out of date are evaluated again; as VCAD_AUTO says, until it is set."""
        return settings_in_force().auto if self._auto is None else self._auto

    def set_auto(self, on: bool) -> None:
        """Have cells evaluated again by themselves, or only marked. What is due is done then; waits for it.

        Raises: LoonCellFailed where it is interrupted.
        """
        self._auto = on
        self._changed()
        if on:
            self.cascades.bring_up_to_date()

    # ---- what has happened -----------------------------------------------------------------

    def _ran(self, outcome: Outcome) -> None:
        """A cell has run, on the session's thread."""
        cell_id = outcome.cell_id
        # a slider's run, too: what it followed is past
        if cell_id in self._followed and not (outcome.again and self._stepping):
            self._followed = {each: state for each, state in self._followed.items() if each != cell_id}
        if outcome.taken_over or outcome.cycles:
            self._say_what_it_took(outcome)
        self._has_run()
        self.mark()
        if outcome.again or self._stepping or not self._pending:
            return
        if self.auto and self._cells.dependencies.due([cell_id]):
            self._put(Trigger("cell", cell_id))

    def _say_what_it_took(self, outcome: Outcome) -> None:
        title = self._cells.title_of
        for taken in outcome.taken_over:
            users = [title(user) for user in taken.users if user != outcome.cell_id]
            used = f"; {' and '.join(users)} {'use' if len(users) > 1 else 'uses'} it" if users else ""
            self._warn(ErrorCode.NAME_TAKEN_OVER, f"`{taken.name}` was {title(taken.before)}'s{used}")
        for cycle in outcome.cycles:
            way = " → ".join(title(each) for each in cycle)
            self._warn(ErrorCode.DEPENDENCY_CYCLE, f"these cells are built from each other: {way}")

    def _warn(self, code: ErrorCode, said: str) -> None:
        self._log.event("cell_warning", level="warning", error_code=str(code))
        sys.stderr.write(f"warning [{code}] {said}\n")

    def _moved(self, cell_id: str, overtaken: Callable[[], bool]) -> None:
        """A slider has moved a cell: what follows is done at once, unless it has moved on."""
        if self.auto:
            self.cascades.bring_up_to_date([cell_id], moved=[cell_id], overtaken=overtaken)

    def _pushed(self, nodes: Collection[str] | None) -> None:
        """Some nodes, or all, are another in SketchUp now: their instances are measured again."""
        for entity in sorted(self._cells.imports.measured(nodes)):
            self._put(Trigger("entity", entity))

    def parameter_set(self, name: str, part: str | None) -> None:
        """A verb has set a parameter. part: whose cell declares it; the cell need not make one."""
        if not self.auto:
            return
        with suppress(VcadError):  # its cell may have been run again since
            cells = self._cells
            cell_id = cells.parameters.declaring(name) if part is None else cells.parts.maker_of(part)
            self._put(Trigger("parameter", cell_id))

    def flush(self, triggers: frozenset[Trigger]) -> None:
        """Do what follows from some triggers, as one cascade; returns when it is done.

        Where it is stopped, what is done stays and the rest is out of date; no caller waits for it.
        """
        with suppress(Closed, LoonCellFailed):
            if self.auto:
                self._make(triggers)
            touched: Collection[str] = self._queue.do(lambda: self._touched(triggers))
            moved = [trigger.key for trigger in triggers if trigger.kind == "parameter"]
            if touched and self.auto:
                self.cascades.bring_up_to_date(touched, moved=moved)

    def _make(self, triggers: Iterable[Trigger]) -> None:
        """Evaluate linked parts that no cell of this kernel has made yet, of what has changed."""
        made = list[str]()
        for kind, find in (
            ("file", self._linked.files_of_unmade),
            ("entity", self._linked.entities_of_unmade),
        ):
            changed = {trigger.key for trigger in triggers if trigger.kind == kind}
            unmade = self._queue.do(find) if changed else {}
            made += [
                name for key in sorted(changed & unmade.keys()) for name in unmade[key] if name not in made
            ]
        for name in made:
            with suppress(VcadError, LoonCellFailed):  # noted where it happened; the others go on
                self._queue.do(partial(self._linked.make, name))
        given = self._queue.do(lambda: self._linked.given_to_sketchup(made)) if made else []
        if given:
            with suppress(VcadError, LoonCellFailed):  # SketchUp is not there: the next push does it
                self._queue.do(lambda: self._linked.push(given))

    def _touched(self, triggers: Iterable[Trigger]) -> frozenset[str]:
        """The cells that triggers are about; those of files and entities are out of date from now on."""
        dependencies, touched = self._cells.dependencies, set[str]()
        keys: dict[str, list[str]] = {}
        for trigger in triggers:
            keys.setdefault(trigger.kind, []).append(trigger.key)
        touched.update(keys.get("cell", ()), keys.get("parameter", ()))
        touched |= dependencies.files_changed(keys.get("file", ()), self._has_read)
        touched |= dependencies.entities_changed(keys.get("entity", ()))
        for node_id in keys.get("node", ()):
            current = self._linked.nodes.current(node_id)
            if current is not None:
                touched.add(current.cell.cell_id)
        if touched:
            self.mark()
        return frozenset(touched)

    def _has_read(self, cell_id: str, path: str) -> bool:
        """Whether a cell ran last with a file as it is now: its own by its text, a module by its date.

        Of one that has failed the text is that of its last success: its own file counts by its date, too.
        """
        cell, run = self._cells.cell_of(cell_id), self._cells.dependencies.run_of(cell_id)
        if cell is None or run is None:
            return False
        if file_of(cell) == path and not run.error:
            return self._linked.has_text_of_its_file(cell)
        try:
            state = (self._linked.project.workspace / path).stat()
        except OSError:
            return False
        # one that is put in the place of another keeps the date of its text; that of the change is newer
        return max(state.st_mtime_ns, state.st_ctime_ns) < run.begun

    # ---- on request ------------------------------------------------------------------------

    def settle(self, cell_ids: Collection[str]) -> None:
        """Bring up to date what some cells have made, and nothing that they do not need.

        From any thread but the session's; waits for it. Raises: LoonCellFailed where it is interrupted.
        """
        needed = self._queue.do(lambda: self._needed(cell_ids))
        if needed:
            self.cascades.bring_up_to_date(only=needed)

    def _needed(self, cell_ids: Collection[str]) -> frozenset[str]:
        dependencies = self._cells.dependencies
        needed = {each for cell_id in cell_ids for each in dependencies.before(cell_id)}
        return frozenset(needed) if needed & dependencies.due(needed).keys() else frozenset()

    def _read(self, cell_id: str) -> None:
        """What a cell has made is read; mostly it is up to date, and nothing is waited for."""
        if cell_id in self._pending and self.auto:
            self.settle([cell_id])

    def graph(self, node_id: str | None = None) -> GraphState:
        """See `Session.graph`. On the session's thread. Raises: VcadError NODE_NOT_FOUND."""
        from notebook_ext.session.reactive.graph_state import graph_state

        among = None if node_id is None else [self._cells.parts.maker_of(name_of(node_id))]
        return graph_state(
            self._cells.dependencies,
            self._marks,
            self.cascades.running,
            self._cells.title_of,
            self._part_of,
            among,
        )

    def _part_of(self, cell_id: str) -> tuple[str, int] | None:
        """The id and revision of the part that a cell makes."""
        name = self._cells.name_of(cell_id)
        if name is None or name not in self._cells.parts.named:
            return None
        node_id = node_id_of(name)
        return node_id, self._linked.project.revisions.newest(node_id)

    # ---- for the cascade -------------------------------------------------------------------

    def again(self, cell_id: str) -> None:
        """See `Evaluates.again`."""
        if self._cascade != self.cascades.number:
            self._cascade = self.cascades.number
            # what a cell's output does not say stays said, until it is run
            self._followed = {each: state for each, state in self._followed.items() if state.value}
        self._stepping, begun = True, monotonic()
        try:
            shown = self._cells.again(cell_id, self._linked.as_it_is_now)
            followed = f"followed a change in {(monotonic() - begun) * 1e3:.0f} ms"
            value = shown.display[:_LONGEST] if isinstance(shown, LoonValue) else ""
            self._followed = {**self._followed, cell_id: CellState("followed", followed, value)}
        finally:
            self._stepping = False
            self.mark()

    def push(self, cell_ids: Sequence[str]) -> None:
        """See `Evaluates.push`."""
        names = [name for cell_id in cell_ids if (name := self._cells.name_of(cell_id)) is not None]
        standing = self._linked.standing_in_sketchup(names)
        if standing:
            self._linked.push(standing)

    def mark(self) -> None:
        """See `Evaluates.mark`."""
        reasons = self._cells.dependencies.out_of_date()
        if reasons or self._marks:  # else all is up to date, and was
            self._mark(reasons)
        self._changed()

    def _mark(self, reasons: Mapping[str, Reason]) -> None:
        """As `mark`, where cells are out of date, or were. reasons: why they are."""
        due = {cell_id for cell_id, reason in reasons.items() if reason.runs}
        below = self._cells.dependencies.below(due)
        self._pending = frozenset(due | below)
        title = self._cells.title_of
        marks = {cell_id: said_of(reason, title) for cell_id, reason in reasons.items()}
        for cell_id in below - marks.keys():
            marks[cell_id] = _WAITS
        if marks != self._marks:
            self._marks = marks
            self._cells.parts.mark(marks)
            self._marked()
        self._failed = frozenset(each for each, reason in reasons.items() if reason.kind == "failed")

    @property
    def is_running(self) -> bool:
        """Whether a cascade is under way; from any thread."""
        return self.cascades.is_running

    @property
    def last_ms(self) -> float | None:
        """How long the last cascade took that evaluated anything."""
        return self.cascades.last_ms

    @property
    def failed(self) -> int:
        """How many cells failed when they were evaluated last."""
        return len(self._failed)

    def states(self) -> Mapping[str, CellState]:
        """How cells stand of which there is something to say; from any thread."""
        running, pending = self.cascades.running, self._pending if self.auto else frozenset()
        moved = self._cells.parameters.moved()
        states = {cell_id: CellState("moved", said) for cell_id, said in moved.items()}
        states |= {
            each: state for each, state in self._followed.items() if self._cells.cell_of(each) is not None
        }
        for cell_id, why in self._marks.items():
            if cell_id in self._failed:
                states[cell_id] = CellState("failed", why)
            else:
                states[cell_id] = CellState("pending" if cell_id in pending else "out of date", why)
        if running is not None:
            states[running] = CellState("running", "is evaluated again")
        return states

    @property
    def marks(self) -> Mapping[str, str]:
        """Cell → why it is out of date, in words; from any thread."""
        return self._marks


_LONGEST: Final = 200
"""Characters of a value that are shown beside its cell."""
_WAITS: Final = "waits for a cell above that is out of date"


def said_of(reason: Reason, title: Callable[[str], str]) -> str:
    """Why a cell is out of date, in a sentence. title: how a cell is called."""
    by = title(reason.by) if reason.by else ""
    match reason.kind:
        case "changed":
            return f"`{reason.name}` has changed in {by}"
        case "file":
            return f"{reason.name} has changed"
        case "entity":
            return f"{reason.name} has changed in SketchUp"
        case "displaced":
            return f"{by} has been evaluated again, and has `{reason.name}`"
        case "gone":
            return f"`{reason.name}` is not defined by {by} any more · run the cell"
        case "taken_over":
            return f"`{reason.name}` is {by}'s by now · run the cell"
        case "appeared":
            return f"`{reason.name}` is defined in {by} by now · run the cell"
        case "cycle":
            return f"`{reason.name}` has changed in {by}, which is built from this cell · run the cell"
        case "failed":
            return f"failed: {reason.error}"
        case "waits":
            return f"{by} has failed: {reason.error}"
