"""The nodes that are linked to SketchUp, as their cells make them: which part stands for which revision.

    change = nodes.accept("lid")     # on any thread: it has a number
    change.begin()                   # its turn has come
    nodes.made("lid", part, cell)    # it is the newest, or it is dropped

A part is linked when it is placed: from then on each run of its cell raises its revision in
``design_model.json``. Nothing old ever wins. On the session's thread, but for what says otherwise; knows
neither how a node is evaluated nor SketchUp, which `linked_parts.py` brings up to this.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.session.linked.sources import file_of, made_of
from notebook_ext.session.node_names import node_id_of
from notebook_ext.session.project.project import Project
from notebook_ext.session.project.revisions import conflict
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import ErrorCode, VcadError

if TYPE_CHECKING:
    from notebook_ext.display.part import Part
    from notebook_ext.session.log.log import SessionLog
    from notebook_ext.session.log.metrics import Counts
    from notebook_ext.session.project.truth import Component, Truth

__all__ = ["Change", "Current", "EvaluatedNodes"]


@dataclass(frozen=True, slots=True)
class Current:
    """A part as its cell made it last, and the revision that it is of."""

    part: Part
    cell: CellSource
    revision: int
    """0 for one that was made while another session gave out the numbers."""
    imports: tuple[Mapping[str, Any], ...] = ()
    """What it was built from besides its text, as the truth has it."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a part that has been accepted: it has a number, and waits for its turn."""

    nodes: EvaluatedNodes
    name: str | None
    """None for one of no named part, which needs no number."""
    revision: int
    expected: int | None = None
    """The revision that it is bound to."""

    def begin(self) -> None:
        """Its turn has come; its number is saved first, so that it is never given out again.

        Where the disk refuses that, the cell runs all the same: what it makes has no number, and gets one
        when it is pushed.
        Raises: VcadError REVISION_CONFLICT where it is bound to a revision and another change has come in
        between all the same; what saving raises.
        """
        if self.name is None:
            return
        project, revision = self.nodes.project, self.revision
        node_id = node_id_of(self.name)
        try:
            truth = project.current()
        except VcadError:
            self.withdraw()
            raise
        component = None if truth is None else truth.model.components.get(node_id)
        if self.expected is not None and (begun := project.revisions.begun(node_id)) != self.expected:
            # it was accepted first, and another has come to the session's thread before it
            self.withdraw()
            raise conflict(node_id, self.expected, begun)
        if component is not None and component.revision >= revision:
            # another session has written the file since this was accepted
            self.withdraw()
            revision = project.accept(self.name)
        project.revisions.begin(node_id, revision)
        self.nodes.under_way[node_id] = revision
        if truth is not None and component is not None and not truth.read_only:
            self.nodes.saved(truth, node_id, component.changed(revision=revision))
        self.nodes.log.event("eval_started", node_id=node_id, revision=revision)

    def withdraw(self) -> None:
        """It is not made after all, and overtakes nothing; from any thread."""
        if self.name is not None:
            self.nodes.project.revisions.withdraw(node_id_of(self.name), self.revision)

    @property
    def is_last(self) -> bool:
        """Whether no other change of the part has been accepted that waits for its turn."""
        if self.name is None:
            return True
        return not self.nodes.project.revisions.waiting(node_id_of(self.name)) - {self.revision}


class EvaluatedNodes:
    """notify: called with what has happened to a node."""

    def __init__(
        self, project: Project, log: SessionLog, notify: Callable[..., None], counts: Counts
    ) -> None:
        self.project = project
        self.log = log
        self.counts = counts
        self._notify = notify
        self._current: dict[str, Current] = {}
        """By node id; the one that was made last comes last."""
        self._overtaken: dict[str, Current] = {}
        """Node id → what was made last and dropped, since a newer change was about to be made."""
        self.under_way: dict[str, int] = {}
        """Node id → revision of the evaluation that is being made of it, or was last."""
        self.unsaved: set[str] = set()
        """Nodes whose component the disk has refused to take, as it is now."""

    def accept(self, name: str | None, expected: int | None = None) -> Change:
        """A change of a part is accepted now; from any thread. expected: as of `Revisions.accept`.

        Raises: VcadError.
        """
        number = 0 if name is None else self.project.accept(name, expected)
        if name is not None:
            self.log.event("eval_enqueued", node_id=node_id_of(name), revision=number)
        return Change(self, name, number, expected)

    def made(
        self, name: str, part: Part, cell: CellSource, imports: Sequence[Mapping[str, Any]] = ()
    ) -> bool:
        """A part has been made. imports: what its cell imports, as the truth has it.

        Returns: whether it is the newest; else it is not to be shown.
        """
        node_id = node_id_of(name)
        revision = self.under_way.get(node_id, 0)
        newest = self.project.revisions.newest(node_id)
        if revision != newest:
            self.log.event("stale_dropped", node_id=node_id, revision=revision, newest=newest)
            self._overtaken[node_id] = Current(part, cell, revision, tuple(imports))
            truth = self.project.known()
            if truth is not None and node_id in truth.model.components:
                from notebook_ext.session.linked.pushed_meshes import note_stale

                if note_stale(self.project.workspace, node_id, revision, part, newest):
                    self.counts.add("artifact_manifests_written_total")
            return False
        self._overtaken.pop(node_id, None)
        rows = tuple(imports)
        truth = self.project.known()
        component = None if truth is None else truth.model.components.get(node_id)
        saved = truth is None or not truth.read_only
        if truth is not None and component is not None and saved:
            made = made_of(component, cell, revision, rows)
            if _shown_already(component, part):
                made = made.changed(applied_revision=revision)
            saved = self.saved(truth, node_id, made)
        self._current.pop(node_id, None)  # the newest comes last
        self._current[node_id] = Current(part, cell, revision if saved else 0, rows)
        self.log.event("eval_finished", node_id=node_id, revision=revision)
        self._notify("evaluated", name, revision)
        return True

    def saved(self, truth: Truth, node_id: str, component: Component) -> bool:
        """Whether a component could be saved; where the disk refuses it, that is said, and logged.

        Raises: VcadError for anything else.
        """
        try:
            truth.save(truth.model.with_component(node_id, component))
        except VcadError as error:
            if error.error_code != ErrorCode.SAVE_FAILED:
                raise
            self.log.event(
                "truth_not_saved", level="error", node_id=node_id, error_code=str(error.error_code)
            )
            sys.stderr.write(f"warning [{error.shown_code}] {error.message}; the cell runs all the same\n")
            self.unsaved.add(node_id)
            return False
        self.unsaved.discard(node_id)
        return True

    def kept(self, name: str) -> None:
        """An evaluation has changed nothing: it was stopped, or undone. The part is the newest as it is.

        Also one that was dropped, since this evaluation was to come after it.
        """
        node_id = node_id_of(name)
        current = self._overtaken.get(node_id) or self._current.get(node_id)
        if current is not None:
            self.made(name, current.part, current.cell, current.imports)
        else:  # the text in the project's truth stands
            self.under_way.pop(node_id, None)

    def failed(self, name: str) -> None:
        """A part could not be evaluated; announced, unless something stands for its revision all the same."""
        node_id = node_id_of(name)
        current, revision = self._current.get(node_id), self.under_way.get(node_id)
        if revision is not None and (current is None or current.revision != revision):
            self._notify("failed", name, revision)

    def superseded(self, node_id: str) -> None:
        """A node's source in the truth is another by now: what its cell made is no longer what it says."""
        self._current.pop(node_id, None)
        self._overtaken.pop(node_id, None)
        self.under_way.pop(node_id, None)

    def made_by(self, file: str) -> str:
        """The id of the cell that made a part of this file last, by its path in the workspace; "" for none.

        May be called on any thread.
        """
        cells = [evaluated.cell for evaluated in list(self._current.values())]
        return next((cell.cell_id for cell in reversed(cells) if file_of(cell) == file), "")

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
        revision = self.under_way.get(node_id)
        self.log.event(
            event,
            level="warning",
            node_id=node_id,
            revision=revision,
            error_code=str(code),
            error=error.message,
        )

    def current(self, node_id: str) -> Current | None:
        """What stands for a node; None where nothing has been made of it here."""
        return self._current.get(node_id)

    def keep(self, node_id: str, current: Current) -> None:
        """A part has been made of a node's own source, outside of any cell."""
        self._overtaken.pop(node_id, None)
        self._current[node_id] = current

    def numbered(self, node_id: str) -> Current | None:
        """What stands for a node, with a number, also where it was made while none could be given."""
        current = self._current.get(node_id)
        if current is not None and current.revision == 0:
            revision = self.project.revisions.accept(node_id)
            self.project.revisions.begin(node_id, revision)
            self.under_way[node_id] = revision
            current = self._current[node_id] = replace(current, revision=revision)
        return current

    def is_under_way(self, node_id: str, revision: int) -> bool:
        """Whether this is the revision that is being evaluated, or was last."""
        return self.under_way.get(node_id) == revision

    def never_came_to_be(self, node_id: str) -> bool:
        """Whether it is a part of the project that was to be built here, and could not be."""
        tried = self.under_way.get(node_id)
        return node_id not in self._current and tried == self.project.revisions.newest(node_id)

    def is_newest(self, node_id: str) -> bool:
        """Whether the part that there is comes of the newest change that was accepted."""
        current = self._current.get(node_id)
        return current is not None and current.revision == self.project.revisions.newest(node_id)


def _shown_already(component: Component, part: Part) -> bool:
    """Whether SketchUp was given this very geometry last: a cell that is run again need not be pushed."""
    from notebook_ext.session.linked.pushed_meshes import mesh_digest

    applied = component.execution
    return (
        bool(component.applied_revision) and applied is not None and applied.mesh_digest == mesh_digest(part)
    )
