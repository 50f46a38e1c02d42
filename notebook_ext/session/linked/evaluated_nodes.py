"""The nodes that are linked to SketchUp, as their cells make them: which part stands for which revision.

    change = nodes.accept("lid")     # on any thread: it has a number
    change.begin()                   # its turn has come
    nodes.made("lid", part, cell)    # it is the newest, or it is dropped

A part is linked when it is placed: from then on each run of its cell raises its revision in
``design_model.json``. Nothing old ever wins. On the session's thread, but for what says otherwise; knows
neither how a node is evaluated nor SketchUp, which `linked_parts.py` brings up to this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.session.linked.pushed_meshes import mesh_digest, note_stale
from notebook_ext.session.linked.sources import file_of, made_of
from notebook_ext.session.node_names import node_id_of
from notebook_ext.session.project.project import Project
from notebook_ext.session.project.revisions import conflict
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import ErrorCode, VcadError

if TYPE_CHECKING:
    from notebook_ext.display.part import Part
    from notebook_ext.session.log import SessionLog
    from notebook_ext.session.project.truth import Component

__all__ = ["Change", "Current", "EvaluatedNodes"]


@dataclass(frozen=True, slots=True)
class Current:
    """A part as its cell made it last, and the revision that it is of."""

    part: Part
    cell: CellSource
    revision: int
    """0 for one that was made while another session gave out the numbers."""


class Change:
    """A change of a part that has been accepted: it has a number, and waits for its turn.

    name: None for one of no named part, which needs no number. expected: the revision that it is bound to.
    """

    def __init__(
        self, parts: EvaluatedNodes, name: str | None, revision: int, expected: int | None = None
    ) -> None:
        self._parts = parts
        self.name = name
        self._revision = revision
        self._expected = expected

    def begin(self) -> None:
        """Its turn has come; its number is saved. Raises: VcadError when that cannot be done."""
        if self.name is not None:
            self._parts.begin(self.name, self._revision, self._expected)

    def withdraw(self) -> None:
        """It is not made after all, and overtakes nothing."""
        if self.name is not None:
            self._parts.withdraw(self.name, self._revision)

    @property
    def is_last(self) -> bool:
        """Whether no other change of the part waits for its turn."""
        return self.name is None or not self._parts.waits(self.name, besides=self._revision)


class EvaluatedNodes:
    """notify: called with what has happened to a node."""

    def __init__(self, project: Project, log: SessionLog, notify: Callable[..., None]) -> None:
        self._project = project
        self._log = log
        self._notify = notify
        self._current: dict[str, Current] = {}
        """By node id; the one that was made last comes last."""
        self._under_way: dict[str, int] = {}
        """Node id → revision of the evaluation that is being made of it, or was last."""

    def accept(self, name: str | None, expected: int | None = None) -> Change:
        """A change of a part is accepted now; from any thread. expected: as of `Revisions.accept`.

        Raises: VcadError.
        """
        number = 0 if name is None else self._project.accept(name, expected)
        return Change(self, name, number, expected)

    def withdraw(self, name: str, revision: int) -> None:
        """A change that was accepted is not made; from any thread."""
        self._project.revisions.withdraw(node_id_of(name), revision)

    def waits(self, name: str, *, besides: int) -> bool:
        """Whether another change of a part has been accepted that has not had its turn."""
        return bool(self._project.revisions.waiting(node_id_of(name)) - {besides})

    def begin(self, name: str, revision: int, expected: int | None = None) -> None:
        """A part is about to be evaluated; its number is saved first, so that it is never given out again.

        expected: the revision that the change is bound to. Raises: VcadError REVISION_CONFLICT where another
        change has come in between all the same; what loading and saving raise.
        """
        node_id = node_id_of(name)
        try:
            truth = self._project.current()
        except VcadError:
            self.withdraw(name, revision)
            raise
        component = None if truth is None else truth.model.components.get(node_id)
        if expected is not None and (begun := self._project.revisions.begun(node_id)) != expected:
            # it was accepted first, and another has come to the session's thread before it
            self.withdraw(name, revision)
            raise conflict(node_id, expected, begun)
        if component is not None and component.revision >= revision:
            # another session has written the file since this was accepted
            self.withdraw(name, revision)
            revision = self._project.accept(name)
        self._project.revisions.begin(node_id, revision)
        self._under_way[node_id] = revision
        if truth is not None and component is not None and not truth.read_only:
            truth.save(truth.model.with_component(node_id, component.changed(revision=revision)))
        self._log.event("eval_started", node_id=node_id, revision=revision)

    def made(self, name: str, part: Part, cell: CellSource) -> bool:
        """A part has been made. Returns: whether it is the newest; else it is not to be shown."""
        node_id = node_id_of(name)
        revision = self._under_way.get(node_id, 0)
        newest = self._project.revisions.newest(node_id)
        if revision != newest:
            self._log.event("stale_dropped", node_id=node_id, revision=revision, newest=newest)
            truth = self._project.known()
            if truth is not None and node_id in truth.model.components:
                note_stale(self._project.workspace, node_id, revision, part, newest)
            return False
        truth = self._project.known()
        component = None if truth is None else truth.model.components.get(node_id)
        saved = truth is None or not truth.read_only
        self._current.pop(node_id, None)  # the newest comes last
        self._current[node_id] = Current(part, cell, revision if saved else 0)
        if truth is not None and component is not None and not truth.read_only:
            made = made_of(component, cell, revision)
            if _shown_already(component, part):
                made = made.changed(applied_revision=revision)
            truth.save(truth.model.with_component(node_id, made))
        self._log.event("eval_finished", node_id=node_id, revision=revision)
        self._notify("evaluated", name, revision)
        return True

    def kept(self, name: str) -> None:
        """An evaluation has changed nothing: it was stopped, or undone. The part is the newest as it is."""
        node_id = node_id_of(name)
        current = self._current.get(node_id)
        if current is not None:
            self.made(name, current.part, current.cell)
        else:  # the text in the project's truth stands
            self._under_way.pop(node_id, None)

    def failed(self, name: str) -> None:
        """A part could not be evaluated; unless something stands for its revision all the same, tell so."""
        node_id = node_id_of(name)
        current, revision = self._current.get(node_id), self._under_way.get(node_id)
        if revision is not None and (current is None or current.revision != revision):
            self._notify("failed", name, revision)

    def superseded(self, node_id: str) -> None:
        """A node's source in the truth is another by now: what its cell made is no longer what it says."""
        self._current.pop(node_id, None)
        self._under_way.pop(node_id, None)

    def made_by(self, file: str) -> str:
        """The id of the cell that made a part of this file last, by its path in the workspace; "" for none.

        May be called on any thread.
        """
        cells = [one.cell for one in list(self._current.values())]
        return next((cell.cell_id for cell in reversed(cells) if file_of(cell) == file), "")

    @contextmanager
    def making(self, change: Change) -> Iterator[None]:
        """Begin a change; listeners are notified where it fails in here. Raises: as `Change.begin`."""
        change.begin()
        with self.failure_reported(change.name):
            yield

    @contextmanager
    def failure_reported(self, name: str | None) -> Iterator[None]:
        """Listeners are notified of an evaluation in here that fails."""
        try:
            yield
        except (LoonCellFailed, VcadError) as failed:
            if name is not None:
                self._note_failure(name, failed.error if isinstance(failed, LoonCellFailed) else failed)
                self.failed(name)
            raise

    def _note_failure(self, name: str, error: VcadError) -> None:
        code = error.error_code
        event = "eval_timeout" if code == ErrorCode.VCAD_EVAL_TIMEOUT else "eval_finished"
        node_id = node_id_of(name)
        revision = self._under_way.get(node_id)
        self._log.event(event, level="warning", node_id=node_id, revision=revision, error_code=str(code))

    def current(self, node_id: str) -> Current | None:
        """What stands for a node; None where nothing has been made of it here."""
        return self._current.get(node_id)

    def keep(self, node_id: str, current: Current) -> None:
        """A part has been made of a node's own source, outside of any cell."""
        self._current[node_id] = current

    def numbered(self, node_id: str) -> Current | None:
        """What stands for a node, with a number, also where it was made while none could be given."""
        current = self._current.get(node_id)
        if current is not None and current.revision == 0:
            revision = self._project.revisions.accept(node_id)
            self._project.revisions.begin(node_id, revision)
            self._under_way[node_id] = revision
            current = self._current[node_id] = replace(current, revision=revision)
        return current

    def is_under_way(self, node_id: str, revision: int) -> bool:
        """Whether this is the revision that is being evaluated, or was last."""
        return self._under_way.get(node_id) == revision

    def never_came_to_be(self, node_id: str) -> bool:
        """Whether it is a part of the project that was to be built here, and could not be."""
        tried = self._under_way.get(node_id)
        return node_id not in self._current and tried == self._project.revisions.newest(node_id)

    def is_newest(self, node_id: str) -> bool:
        """Whether the part that there is comes of the newest change that was accepted."""
        current = self._current.get(node_id)
        return current is not None and current.revision == self._project.revisions.newest(node_id)


def _shown_already(component: Component, part: Part) -> bool:
    """Whether SketchUp was given this very geometry last: a cell that is run again need not be pushed."""
    applied = component.execution
    return (
        bool(component.applied_revision) and applied is not None and applied.mesh_digest == mesh_digest(part)
    )
