"""The parts that stand in SketchUp, or are to: the project's truth, and pushing it.

On the session's thread only. A part is linked when it is placed: from then on each run of its cell raises
its revision in ``design_model.json``, and a push brings SketchUp up to it. What the user wishes is saved
first, so that it is kept when SketchUp is not there. Cells, plans, files and the connection have files of
their own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from notebook_ext.session.cells import Cells
from notebook_ext.session.linked_sources import cell_of_component, cell_of_file, file_of, made_of
from notebook_ext.session.node_names import checked_node_id, name_of, node_id_of
from notebook_ext.session.project import Project
from notebook_ext.session.pushed_meshes import PushedMeshes, mesh_digest
from notebook_ext.sketchup.link import SketchupLink, SketchupStatus
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError
from vcad_kernel.request_id import request

if TYPE_CHECKING:
    from notebook_ext.part import Part
    from notebook_ext.session.log import SessionLog
    from notebook_ext.session.placing import Placing
    from notebook_ext.session.truth import Component, DesignModel
    from notebook_ext.sketchup.push import Approve, Clean
    from notebook_ext.sketchup.trace import Mode, Trace, TraceResult

__all__ = ["Change", "LinkedParts"]


@dataclass(frozen=True, slots=True)
class _Current:
    """A part as its cell made it last, and the revision that it is of."""

    part: Part
    cell: CellSource
    revision: int
    """0 for one that was made while another session gave out the numbers."""


class Change:
    """A change of a part that has been accepted: it has a number, and waits for its turn.

    name: None for one of no named part, which needs no number.
    """

    def __init__(self, parts: LinkedParts, name: str | None, revision: int) -> None:
        self._parts = parts
        self.name = name
        self._revision = revision

    def begin(self) -> None:
        """Its turn has come; its number is saved. Raises: VcadError when that cannot be done."""
        if self.name is not None:
            self._parts.begin(self.name, self._revision)

    def withdraw(self) -> None:
        """It is not made after all, and overtakes nothing."""
        if self.name is not None:
            self._parts.withdraw(self.name, self._revision)

    @property
    def is_last(self) -> bool:
        """Whether no other change of the part waits for its turn."""
        return self.name is None or not self._parts.waits(self.name, besides=self._revision)


class LinkedParts:
    """tell: told what has happened to a node."""

    def __init__(self, project: Project, cells: Cells, log: SessionLog, tell: Callable[..., None]) -> None:
        self._project = project
        self._cells = cells
        self._log = log
        self._tell = tell
        self._current: dict[str, _Current] = {}
        """By node id."""
        self._under_way: dict[str, int] = {}
        """Node id → revision of the evaluation that is being made of it, or was last."""
        self._meshes = PushedMeshes(lambda: project.workspace, self._part)
        self._link = SketchupLink(lambda: project.workspace, log)

    @property
    def project(self) -> Project:
        """The project that they belong to."""
        return self._project

    @property
    def meshes(self) -> PushedMeshes:
        """The files that SketchUp reads them from."""
        return self._meshes

    @property
    def link(self) -> SketchupLink:
        """The way to SketchUp."""
        return self._link

    # ---- what the cells do -----------------------------------------------------------------

    def accept(self, name: str | None) -> Change:
        """A change of a part is accepted now; from any thread. Raises: VcadError."""
        return Change(self, name, 0 if name is None else self._project.accept(name))

    def withdraw(self, name: str, revision: int) -> None:
        """A change that was accepted is not made; from any thread."""
        self._project.revisions.withdraw(node_id_of(name), revision)

    def waits(self, name: str, *, besides: int) -> bool:
        """Whether another change of a part has been accepted that has not had its turn."""
        return bool(self._project.revisions.waiting(node_id_of(name)) - {besides})

    def begin(self, name: str, revision: int) -> None:
        """A part is about to be evaluated; its number is saved first, so that it is never given out again."""
        node_id = node_id_of(name)
        try:
            truth = self._project.current()
        except VcadError:
            self.withdraw(name, revision)
            raise
        component = None if truth is None else truth.model.components.get(node_id)
        if component is not None and component.revision >= revision:
            # somebody else has written the file since this was accepted
            self.withdraw(name, revision)
            revision = self._project.accept(name)
        self._project.revisions.begin(node_id, revision)
        self._under_way[node_id] = revision
        if truth is not None and component is not None and not truth.read_only:
            truth.save(truth.model.with_component(node_id, replace(component, revision=revision)))
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
        self._current[node_id] = _Current(part, cell, revision if saved else 0)
        if truth is not None and component is not None and not truth.read_only:
            made = made_of(component, cell, revision)
            if _shown_already(component, part):
                made = replace(made, applied_revision=revision)
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

        Raises: VcadError, LoonCellFailed.
        """
        node_id = node_id_of(name)
        if isinstance(source, Path):
            self._cells.run(cell_of_file(self._project.workspace, name, source), name)
        elif source is not None:
            self._cells.run(CellSource(f"node:{node_id}", source, name, bind=name), name)
        else:
            self._cells.run(self._own_cell(name), name)

    def _own_cell(self, name: str) -> CellSource:
        """How a node is evaluated again. Raises: ServiceFailure NODE_NOT_FOUND, SOURCE_FILE_MISSING."""
        node_id = node_id_of(name)
        current = self._current.get(node_id)
        if current is not None:
            file = file_of(current.cell)
            return current.cell if file is None else cell_of_file(self._project.workspace, name, Path(file))
        component = self._project.loaded().model.components.get(node_id)
        if component is None:
            raise self._project.not_linked(name)
        return cell_of_component(self._project.workspace, node_id, component)

    # ---- placing and pushing ---------------------------------------------------------------

    def place(self, name: str, wish: Placing) -> TraceResult:
        """Link a part, and push it; see `Session.place`."""
        from notebook_ext.session.truth import Component, Source

        self._project.require_pushable("place")
        node_id = checked_node_id(name)
        truth = self._project.loaded()
        current = self._current.get(node_id)
        component = truth.model.components.get(node_id)
        if current is None and component is None:
            raise self._project.not_linked(name)
        if component is None:
            component = Component(Source.of_cell(""))
        if wish.component_name is not None:
            component = replace(component, component_name=wish.component_name)
        if current is not None and current.revision == 0:
            current = self._current[node_id] = replace(current, revision=self._new_number(node_id))
        if current is not None and current.revision >= component.revision:  # else it is not the newest
            component = made_of(component, current.cell, current.revision)
        truth.save(wish.applied_to(truth.model.with_component(node_id, component), node_id))
        self._tell("placed", name, component.revision)
        return self.push([name])

    def _new_number(self, node_id: str) -> int:
        revision = self._project.revisions.accept(node_id)
        self._project.revisions.begin(node_id, revision)
        self._under_way[node_id] = revision
        return revision

    def remove(self, name: str, instance: str | None) -> TraceResult:
        """Take a node, or one instance of it, out of SketchUp; see `Session.remove`."""
        self._project.require_pushable("remove")
        node_id = checked_node_id(name)
        truth = self._project.loaded()
        if node_id not in truth.model.components:
            raise self._project.not_linked(name)
        gone = node_id
        if instance is None:
            truth.save(truth.model.without_component(node_id))
        else:
            gone = checked_node_id(instance, argument="instance")
            there = dict(truth.model.instances_of(node_id))
            if gone not in there:
                raise _no_instance(name, instance, there)
            truth.save(truth.model.without_instance(gone))
        self._tell("removed", name)
        removed = truth.model.removed
        # what SketchUp was never given is not there to be removed
        given = gone in removed.components or gone in removed.instances
        return self._pushed_through([gone] if given else [])

    def plan(self, names: Collection[str] | None, mode: Mode) -> Trace:
        """What a push would do; see `Session.plan`."""
        from notebook_ext.sketchup.planning import plan
        from notebook_ext.sketchup.trace_files import TraceFiles

        truth = self._project.loaded()
        trace = plan(truth.model, self._meshes, mode=mode, scope=self._project.scope(names))
        if not truth.read_only:
            TraceFiles(self._project.workspace).save(trace)
        return trace

    def push(self, names: Collection[str] | None, *, omit: Collection[str] = ()) -> TraceResult:
        """Bring SketchUp up to the project; see `Session.push`."""
        self._project.require_pushable("push")
        return self._pushed_through(self._project.scope(names), omit=omit)

    def replay(self, clean: Clean, approve: Approve | None = None) -> TraceResult:
        """Build everything anew; see `Session.replay`. approve: asked before a full clean."""
        from notebook_ext.sketchup.cleaning import Clean as Known

        if clean not in (known := get_args(Known)):
            raise ServiceFailure(
                ErrorCode.INVALID_PARAMS,
                f"nothing is cleaned by {clean!r}; there are {', '.join(known)}",
                details={"path": "clean", "expected": f"one of {', '.join(known)}"},
            )
        self._project.require_pushable("replay")
        return self._pushed_through(None, mode="clean", clean=clean, approve=approve)

    def _pushed_through(
        self,
        scope: Collection[str] | None,
        *,
        omit: Collection[str] = (),
        mode: Mode = "incremental",
        clean: Clean = "none",
        approve: Approve | None = None,
    ) -> TraceResult:
        from notebook_ext.sketchup.push import push

        truth = self._project.loaded()
        accepted = sorted(self._project.scope(omit) or ())
        with request() as request_id:
            result = push(
                self._link.bridge(),
                truth,
                self._meshes,
                mode=mode,
                clean=clean,
                scope=scope,
                allow_partial=bool(omit),
                accept_omitted=accepted or None,
                request_id=request_id,
                log=self._log,
                approve=approve,
            )
        self._tell("pushed", None)
        return result

    def execute(self, trace: Trace, **options: Any) -> TraceResult:
        """Carry a trace out as it stands; options as of `notebook_ext.sketchup.push.execute`."""
        from notebook_ext.sketchup.push import execute

        self._project.require_pushable("push")
        with request() as request_id:
            result = execute(
                trace,
                self._link.bridge(),
                self._project.loaded(),
                meshes=self._meshes,
                request_id=request_id,
                log=self._log,
                **options,
            )
        self._tell("pushed", None)
        return result

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
                fix="mend its cell and run it again",
                details={"node_id": node_id, "revision": revision, "current": good},
            )
        from notebook_ext.part import Part

        name = name_of(node_id)
        cell = self._own_cell(name)
        result = self._cells.alone(cell)
        part = Part(name, result, cell.source, lambda _: None, result.parts)
        self._current[node_id] = _Current(part, cell, revision)
        return part

    def is_newest(self, node_id: str) -> bool:
        """Whether the part that there is comes of the newest change that was accepted."""
        current = self._current.get(node_id)
        return current is not None and current.revision == self.project.revisions.newest(node_id)

    def standing(self) -> DesignModel:
        """The truth as it is on the disk; empty where the project has none. Raises: VcadError."""
        from notebook_ext.session.truth import DesignModel

        truth = self._project.current()
        return DesignModel.empty() if truth is None else truth.model

    # ---- state -----------------------------------------------------------------------------

    def status(self) -> SketchupStatus:
        """Whether SketchUp answers, and what of the project it shows."""
        from notebook_ext.session.truth import DesignModel
        from notebook_ext.session.workspace import refusal_for_push
        from notebook_ext.sketchup.node_states import node_states

        truth = self._project.known()
        address = self._link.address
        status, rows, problem = None, None, None
        try:
            bridge = self._link.bridge()
            status = bridge.status()
            rows = bridge.nodes()
        except VcadError as error:
            problem = error
        model = DesignModel.empty() if truth is None else self._project.loaded().model
        return SketchupStatus(
            host=address.host,
            port=address.port,
            workspace=self._project.workspace,
            status=status,
            problem=problem,
            read_only=refusal_for_push(self._project.workspace)
            or (None if truth is None else truth.read_only_reason),
            nodes=node_states(model, rows),
            trouble=self._project.trouble,
        )

    def start_headless(self) -> None:
        """Have a SketchUp without a window; see `Session.start_headless_sketchup`."""
        self._project.require_pushable("start_headless_sketchup")
        self._link.start_headless()

    def picture(self, view: str, width: int, height: int) -> bytes:
        """SketchUp's own picture of its model; see `Session.picture_of_sketchup`."""
        self._project.require_pushable("picture")
        path = self._link.bridge().standard_view(view, width=width, height=height)
        try:
            return path.read_bytes()
        except OSError as failed:
            raise ServiceFailure(
                ErrorCode.FILE_NOT_FOUND,
                f"SketchUp's picture cannot be read: {failed.strerror or failed}",
                fix="SketchUp and the notebook must see the same disk",
                details={"path": str(path)},
            ) from failed

    def interrupt(self) -> None:
        """End the call to SketchUp that is under way; from another thread."""
        self._link.interrupt()

    def close(self) -> None:
        """End the connection."""
        self._link.close()


def _shown_already(component: Component, part: Part) -> bool:
    """Whether SketchUp was given this very geometry last: a cell that is run again need not be pushed."""
    applied = component.execution
    return (
        bool(component.applied_revision) and applied is not None and applied.mesh_digest == mesh_digest(part)
    )


def _no_instance(name: str, instance: str, there: Collection[str]) -> ServiceFailure:
    known = ", ".join(name_of(one) for one in there) or "none"
    return ServiceFailure(
        ErrorCode.NODE_NOT_FOUND,
        f"{name} has no instance {instance!r}; it has {known}",
        details={"node_id": node_id_of(instance)},
    )
