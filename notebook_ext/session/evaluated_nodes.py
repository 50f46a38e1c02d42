"""The nodes that are linked to SketchUp, as their cells make them: which part stands for which revision.

    change = nodes.accept("lid")     # on any thread: it has a number
    change.begin()                   # its turn has come
    nodes.made("lid", part, cell)    # it is the newest, or nobody sees it

A part is linked when it is placed: from then on each run of its cell raises its revision in
``design_model.json``. Nothing old ever wins. On the session's thread, but for what says otherwise; knows
nothing of SketchUp, which `linked_parts.py` brings up to this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from notebook_ext.failure import LoonCellFailed
from notebook_ext.session.cells import Cells
from notebook_ext.session.linked_sources import (
    cell_of_component,
    cell_of_file,
    cell_of_known_file,
    file_of,
    made_of,
    with_values,
)
from notebook_ext.session.node_names import name_of, node_id_of
from notebook_ext.session.project import Project
from notebook_ext.session.pushed_meshes import PushedMeshes, mesh_digest
from notebook_ext.session.revisions import conflict
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

if TYPE_CHECKING:
    from notebook_ext.part import Part
    from notebook_ext.session.log import SessionLog
    from notebook_ext.session.truth import Component
    from vcad_kernel.ir.parameter import Parameter

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
    """tell: told what has happened to a node."""

    def __init__(self, project: Project, cells: Cells, log: SessionLog, tell: Callable[..., None]) -> None:
        self._project = project
        self._cells = cells
        self._log = log
        self._tell = tell
        self._current: dict[str, Current] = {}
        """By node id; the one that was made last comes last."""
        self._under_way: dict[str, int] = {}
        """Node id → revision of the evaluation that is being made of it, or was last."""
        self._meshes = PushedMeshes(lambda: project.workspace, self._part)

    @property
    def project(self) -> Project:
        """The project that they belong to."""
        return self._project

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
            # somebody else has written the file since this was accepted
            self.withdraw(name, revision)
            revision = self._project.accept(name)
        self._project.revisions.begin(node_id, revision)
        self._under_way[node_id] = revision
        if truth is not None and component is not None and not truth.read_only:
            truth.save(truth.model.with_component(node_id, structs.replace(component, revision=revision)))
        self._log.event("eval_started", node_id=node_id, revision=revision)

    def made(self, name: str, part: Part, cell: CellSource) -> bool:
        """A part has been made. Returns: whether it is the newest; else nobody is to see it."""
        node_id = node_id_of(name)
        revision = self._under_way.get(node_id, 0)
        newest = self._project.revisions.newest(node_id)
        if revision != newest:
            self._log.event("stale_dropped", node_id=node_id, revision=revision, newest=newest)
            truth = self._project.known()
            if truth is not None and node_id in truth.model.components:
                self._meshes.note_stale(node_id, revision, part, newest)
            return False
        truth = self._project.known()
        component = None if truth is None else truth.model.components.get(node_id)
        saved = truth is None or not truth.read_only
        self._current.pop(node_id, None)  # the newest comes last
        self._current[node_id] = Current(part, cell, revision if saved else 0)
        if truth is not None and component is not None and not truth.read_only:
            made = made_of(component, cell, revision)
            if _shown_already(component, part):
                made = structs.replace(made, applied_revision=revision)
            truth.save(truth.model.with_component(node_id, made))
        self._log.event("eval_finished", node_id=node_id, revision=revision)
        self._tell("evaluated", name, revision)
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
            self._tell("failed", name, revision)

    def superseded(self, node_id: str) -> None:
        """A node's source in the truth is another by now: what its cell made is no longer what it says."""
        self._current.pop(node_id, None)
        self._under_way.pop(node_id, None)

    def evaluate(self, name: str, source: str | Path | None) -> None:
        """Evaluate a node: new text or a file for it, or its own source once more.

        Of its own file, be it named or not, the parameters keep the values that were set.
        Raises: VcadError, LoonCellFailed.
        """
        node_id = node_id_of(name)
        if isinstance(source, Path):
            cell = cell_of_file(self._project.workspace, name, source)
            current = self._current.get(node_id)
            if current is not None and current.cell.cell_id == cell.cell_id:
                cell = self._own_cell(name)
            self._cells.run(cell, name)
        elif source is not None:
            self._cells.run(CellSource(f"node:{node_id}", source, name, bind=name), name)
        else:
            self._cells.run(self._own_cell(name), name)

    def made_by(self, file: str) -> str:
        """The id of the cell that made a part of this file last, by its path in the workspace; "" for none.

        May be called on any thread.
        """
        cells = [one.cell for one in list(self._current.values())]
        return next((cell.cell_id for cell in reversed(cells) if file_of(cell) == file), "")

    def _own_cell(self, name: str) -> CellSource:
        """How a node is evaluated again. Raises: ServiceFailure NODE_NOT_FOUND, SOURCE_FILE_MISSING."""
        node_id = node_id_of(name)
        current = self._current.get(node_id)
        if current is not None:
            file = file_of(current.cell)
            if file is None:
                return current.cell
            cell = cell_of_known_file(self._project.workspace, name, file)
            return self._with_values(cell, current.cell.parameters, current.part.result.parameters)
        component = self._project.loaded().model.components.get(node_id)
        if component is None:
            raise self._project.not_linked(name)
        cell = cell_of_component(self._project.workspace, node_id, component)
        return cell if file_of(cell) is None else self._with_values(cell, component.parameters, ())

    def _with_values(
        self, cell: CellSource, values: Mapping[str, Any], before: Sequence[Parameter]
    ) -> CellSource:
        """A file's cell with the values that were set for its parameters, where they still fit."""
        if not values:
            return cell
        try:
            result = self._cells.apart.scene(replace(cell, parameters={}))
        except VcadError:
            return replace(cell, parameters=dict(values))  # it fails in its turn, and is told then
        return with_values(cell, values, result.parameters, before)

    @contextmanager
    def failure_told(self, name: str | None) -> Iterator[None]:
        """Those who listen hear of an evaluation in here that fails."""
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

    def _new_number(self, node_id: str) -> int:
        revision = self._project.revisions.accept(node_id)
        self._project.revisions.begin(node_id, revision)
        self._under_way[node_id] = revision
        return revision

    def _part(self, node_id: str, revision: int) -> Part:
        """The part of a node's revision, for its mesh. Raises: VcadError where there is none."""
        current = self._current.get(node_id)
        if current is not None and current.revision == revision:
            return current.part
        if current is not None or self._under_way.get(node_id) == revision:
            good = current.revision if current is not None else 0
            raise ServiceFailure(
                ErrorCode.STALE_REVISION,
                f"revision {revision} of it has not been built"
                + (f"; the last good one is {good}" if good else " here"),
                fix="mend its source, then run its cell again or update it from its file",
                details={"node_id": node_id, "revision": revision, "current": good},
            )
        from notebook_ext.part import Part

        name = name_of(node_id)
        cell = self._own_cell(name)
        result = self._cells.apart.scene(cell)
        part = Part(name, result, cell.source, lambda _: None, result.parts)
        self._current[node_id] = Current(part, cell, revision)
        return part

    def standing_part(self, node_id: str) -> Part:
        """The part that a linked node is now, made where no cell has made it yet. Raises: VcadError."""
        current = self._current.get(node_id)
        if current is not None:
            return current.part
        component = self._project.loaded().model.components.get(node_id)
        if component is None:
            raise self._project.not_linked(name_of(node_id))
        return self._part(node_id, component.revision)

    def never_came_to_be(self, node_id: str) -> bool:
        """Whether it is a part of the project that was to be built here, and could not be."""
        tried = self._under_way.get(node_id)
        return node_id not in self._current and tried == self.project.revisions.newest(node_id)

    def is_newest(self, node_id: str) -> bool:
        """Whether the part that there is comes of the newest change that was accepted."""
        current = self._current.get(node_id)
        return current is not None and current.revision == self.project.revisions.newest(node_id)


def _shown_already(component: Component, part: Part) -> bool:
    """Whether SketchUp was given this very geometry last: a cell that is run again need not be pushed."""
    applied = component.execution
    return (
        bool(component.applied_revision) and applied is not None and applied.mesh_digest == mesh_digest(part)
    )
