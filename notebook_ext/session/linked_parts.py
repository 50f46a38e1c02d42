"""The parts that stand in SketchUp, or are to: the project's truth, and pushing it.

On the session's thread only. A part is linked when it is placed: from then on each run of its cell raises
its revision in ``design_model.json``, and a push brings SketchUp up to it. What the user wishes is saved
first, so that it is kept when SketchUp is not there. Cells, plans and the connection each have a file of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from notebook_ext.session.cells import Cells
from notebook_ext.session.node_names import MOST, name_of, node_id_of
from notebook_ext.session.revisions import Revisions
from notebook_ext.sketchup.link import SketchupLink, SketchupStatus, settings_in_force
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError
from vcad_kernel.request_id import request

if TYPE_CHECKING:
    from notebook_ext.part import Part
    from notebook_ext.session.log import SessionLog
    from notebook_ext.session.pushed_meshes import PushedMeshes
    from notebook_ext.session.truth import Component, DesignModel, Truth
    from notebook_ext.sketchup.planning import Mode
    from notebook_ext.sketchup.push import Clean
    from notebook_ext.sketchup.trace import Trace, TraceResult

__all__ = ["LinkedParts"]


@dataclass(frozen=True, slots=True)
class _Current:
    """A part as its cell made it last, and the revision that it is of."""

    part: Part
    cell: CellSource
    revision: int


class LinkedParts:
    """folder: the notebook's, from which the workspace is found. tell: told what happened to a node."""

    def __init__(
        self,
        folder: Path,
        revisions: Revisions,
        cells: Cells,
        log: SessionLog,
        tell: Callable[..., None],
    ) -> None:
        self._folder = folder
        self._revisions = revisions
        self._cells = cells
        self._log = log
        self._tell = tell
        self._loading = Lock()
        """A change may be accepted on any thread, and its number depends on what is saved."""
        self._truth: Truth | None = None
        self._workspace: Path | None = None
        self._pushed: PushedMeshes | None = None
        self._current: dict[str, _Current] = {}
        """By node id."""
        self._under_way: dict[str, int] = {}
        """Node id → revision of the evaluation that is being made of it, or was last."""
        self._link = SketchupLink(lambda: self.workspace, log)

    # ---- the project -----------------------------------------------------------------------

    @property
    def workspace(self) -> Path:
        """The folder of the project; found once."""
        if self._workspace is None:
            from notebook_ext.session.workspace import find_workspace

            self._workspace = find_workspace(self._folder, settings_in_force().workspace)
        return self._workspace

    @property
    def model(self) -> DesignModel:
        """The project's truth. Raises: VcadError when it cannot be read."""
        return self._loaded().model

    def accept(self, name: str) -> int:
        """The number of a change of a part that is accepted now; from any thread."""
        node_id = node_id_of(name)
        self._known()
        return self._revisions.accept(node_id)

    def _known(self) -> Truth | None:
        """The truth, if the project has one; None otherwise, and nothing is made."""
        with self._loading:
            if self._truth is None and (self.workspace / "design_model.json").is_file():
                self._load()
            return self._truth

    def _loaded(self) -> Truth:
        """The truth, as it is on the disk by now."""
        with self._loading:
            if self._truth is None:
                return self._load()
            self._truth.refresh()
            self._revisions.restore(_revisions(self._truth.model))
            return self._truth

    def _load(self) -> Truth:
        from notebook_ext.session.pushed_meshes import PushedMeshes
        from notebook_ext.session.truth import Truth

        try:
            truth = Truth.load(self.workspace)
        except OSError as failed:
            raise ServiceFailure(
                ErrorCode.TRUTH_INVALID,
                f"{self.workspace / 'design_model.json'} cannot be read: {failed.strerror or failed}",
                details={"path": str(self.workspace / "design_model.json")},
            ) from failed
        if truth.problem is not None:
            self._log.event("truth_set_aside", level="error", error_code=str(truth.problem.error_code))
        self._revisions.restore(_revisions(truth.model))
        self._pushed = PushedMeshes(self.workspace, self._part)
        self._truth = truth
        return truth

    @property
    def _meshes(self) -> PushedMeshes:
        assert self._pushed is not None  # made with the truth
        return self._pushed

    # ---- what the cells do -----------------------------------------------------------------

    def begin(self, name: str, revision: int) -> None:
        """A part is about to be evaluated; its number is saved first, so that it is never given out again."""
        node_id = node_id_of(name)
        self._under_way[node_id] = revision
        truth = self._known()
        component = None if truth is None else truth.model.components.get(node_id)
        if truth is not None and component is not None and not truth.read_only:
            truth.save(truth.model.with_component(node_id, replace(component, revision=revision)))
        self._log.event("eval_started", node_id=node_id, revision=revision)

    def made(self, name: str, part: Part, cell: CellSource) -> bool:
        """A part has been made. Returns: whether it is the newest; else nobody is to see it."""
        node_id = node_id_of(name)
        revision = self._under_way.get(node_id, 0)
        newest = self._revisions.newest(node_id)
        if revision != newest:
            self._log.event("stale_dropped", node_id=node_id, revision=revision, newest=newest)
            truth = self._known()
            if truth is not None and node_id in truth.model.components:
                self._meshes.note_stale(node_id, revision, part, newest)
            return False
        self._current[node_id] = _Current(part, cell, revision)
        truth = self._known()
        component = None if truth is None else truth.model.components.get(node_id)
        if truth is not None and component is not None and not truth.read_only:
            truth.save(truth.model.with_component(node_id, _made_of(component, cell, revision)))
        self._log.event("eval_finished", node_id=node_id, revision=revision)
        self._tell("evaluated", name, revision)
        return True

    def evaluate(self, name: str, source: str | Path | None) -> None:
        """Evaluate a node: new text or a file for it, or its own source once more.

        Raises: VcadError, LoonCellFailed.
        """
        node_id = node_id_of(name)
        if isinstance(source, Path):
            self._cells.run(self._of_file(name, source), name)
        elif source is not None:
            self._cells.run(CellSource(f"node:{node_id}", source, name, bind=name), name)
        else:
            self._cells.run(self._own_cell(name), name)

    def _of_file(self, name: str, path: Path) -> CellSource:
        from vcad_kernel.paths import Workspace

        files = Workspace(self.workspace)
        relative = files.relative(str(path))
        text = files.read(relative).decode("utf-8", "replace")
        return CellSource(f"file:{relative}", text, relative, bind=name)

    def _own_cell(self, name: str) -> CellSource:
        """How a node is evaluated again. Raises: ServiceFailure NODE_NOT_FOUND, SOURCE_FILE_MISSING."""
        node_id = node_id_of(name)
        current = self._current.get(node_id)
        if current is not None:
            file = _file_of(current.cell)
            return current.cell if file is None else self._of_file(name, Path(file))
        component = self._loaded().model.components.get(node_id)
        if component is None:
            raise self._unknown(name)
        source = component.source
        if source.kind == "file":
            file = source.file or ""
            if not (self.workspace / file).is_file():
                raise ServiceFailure(
                    ErrorCode.SOURCE_FILE_MISSING,
                    f"the source of {name}, {file}, is not there any more",
                    fix="put the file back, or give the part another source",
                    details={"node_id": node_id, "source_file": file},
                )
            cell = self._of_file(name, Path(file))
        else:
            cell = CellSource(
                f"node:{node_id}", source.text or "", name, source.extra.get("bindings", {}), name
            )
        return replace(cell, parameters=dict(component.parameters))

    # ---- placing and pushing ---------------------------------------------------------------

    def place(self, name: str, position: tuple[float, ...] | None, component_name: str | None) -> TraceResult:
        """Link a part, and push it; see `Session.place`."""
        from notebook_ext.session.truth import IDENTITY, Component, Instance, Source

        self._pushable("place")
        node_id = self._node_id(name)
        truth = self._loaded()
        current = self._current.get(node_id)
        component = truth.model.components.get(node_id)
        if current is None and component is None:
            raise self._unknown(name)
        at = _point(position)
        if component is None:
            component = Component(Source.of_cell(""), component_name=component_name)
        elif component_name is not None:
            component = replace(component, component_name=component_name)
        if current is not None:
            component = _made_of(component, current.cell, current.revision)
        model = truth.model.with_component(node_id, component)
        instances = list(model.instances_of(node_id))
        if not instances:
            transform = IDENTITY if at is None else (*IDENTITY[:12], *at, 1.0)
            model = model.with_instance(f"{node_id}-1", Instance(node_id, transform))
        elif at is not None:
            instance_id, instance = instances[0]
            moved = replace(instance, transform=(*instance.transform[:12], *at, 1.0))
            model = model.with_instance(instance_id, moved)
        truth.save(model)
        self._tell("placed", name, component.revision)
        return self.push([name])

    def remove(self, name: str) -> TraceResult:
        """Take a node out of SketchUp; see `Session.remove`."""
        self._pushable("remove")
        node_id = self._node_id(name)
        truth = self._loaded()
        if node_id not in truth.model.components:
            raise self._unknown(name)
        truth.save(truth.model.without_component(node_id))
        self._tell("removed", name)
        return self._pushed_through([node_id])

    def plan(self, names: Collection[str] | None, mode: Mode) -> Trace:
        """What a push would do; see `Session.plan`."""
        from notebook_ext.sketchup.planning import plan
        from notebook_ext.sketchup.trace_files import TraceFiles

        truth = self._loaded()
        trace = plan(truth.model, self._meshes, mode=mode, scope=self._scope(names))
        if not truth.read_only:
            TraceFiles(self.workspace).save(trace)
        return trace

    def push(self, names: Collection[str] | None, *, omit: Collection[str] = ()) -> TraceResult:
        """Bring SketchUp up to the project; see `Session.push`."""
        self._pushable("push")
        return self._pushed_through(self._scope(names), omit=omit)

    def replay(self, clean: Clean) -> TraceResult:
        """Build everything anew; see `Session.replay`."""
        self._pushable("replay")
        return self._pushed_through(None, mode="clean", clean=clean)

    def _pushed_through(
        self,
        scope: Collection[str] | None,
        *,
        omit: Collection[str] = (),
        mode: Mode = "incremental",
        clean: Clean = "none",
    ) -> TraceResult:
        from notebook_ext.sketchup.push import push

        truth = self._loaded()
        with request() as request_id:
            result = push(
                self._link.bridge(),
                truth,
                self._meshes,
                mode=mode,
                clean=clean,
                scope=scope,
                allow_partial=bool(omit),
                accept_omitted=sorted(node_id_of(one) for one in omit) if omit else None,
                request_id=request_id,
                log=self._log,
            )
        self._tell("pushed", None)
        return result

    def _scope(self, names: Collection[str] | None) -> Collection[str] | None:
        """The ids of linked nodes. Raises: ServiceFailure NODE_NOT_FOUND."""
        if names is None:
            return None
        components = self._loaded().model.components
        for name in names:
            if node_id_of(name) not in components:
                raise self._unknown(name)
        return [node_id_of(name) for name in names]

    def _part(self, node_id: str, revision: int) -> Part:
        """The part of a node's revision, for its mesh. Raises: VcadError where there is none."""
        current = self._current.get(node_id)
        if current is not None:
            if current.revision != revision:
                raise ServiceFailure(
                    ErrorCode.STALE_REVISION,
                    f"revision {revision} of it has not been built; the last good one is {current.revision}",
                    fix="mend its cell and run it again",
                    details={"node_id": node_id, "revision": revision, "current": current.revision},
                )
            return current.part
        from notebook_ext.part import Part

        name = name_of(node_id)
        cell = self._own_cell(name)
        result = self._cells.alone(cell)
        part = Part(name, result, cell.source, lambda _: None, result.parts)
        self._current[node_id] = _Current(part, cell, revision)
        return part

    # ---- what is refused -------------------------------------------------------------------

    def _pushable(self, operation: str) -> None:
        """Raises: PathRefused for a workspace that SketchUp must not get; BUSY for another session's."""
        from notebook_ext.session.workspace import require_pushable

        require_pushable(self.workspace, operation)
        truth = self._loaded()
        if truth.problem is not None and truth.set_aside is None:
            raise truth.problem
        if truth.read_only:
            raise ServiceFailure(
                ErrorCode.BUSY,
                f"the project is open read-only: {truth.read_only_reason}",
                fix="close the other session, or work in another folder",
                details={"operation": operation, "path": str(truth.path)},
            )

    @staticmethod
    def _node_id(name: str) -> str:
        node_id = node_id_of(name)
        if not 0 < len(node_id) <= MOST:
            raise ServiceFailure(
                ErrorCode.INVALID_PARAMS,
                f"the name {name[:40]!r}… is too long for SketchUp",
                fix=f"choose one of at most {MOST} letters; those outside of ASCII count several",
                details={"path": "node_id", "expected": f"at most {MOST} characters"},
            )
        return node_id

    def _unknown(self, name: str) -> ServiceFailure:
        linked = [] if self._truth is None else [name_of(one) for one in self._truth.model.components]
        there = f"linked are {', '.join(linked)}" if linked else "nothing is linked yet"
        return ServiceFailure(
            ErrorCode.NODE_NOT_FOUND,
            f"no part {name!r} is linked to SketchUp; {there}",
            fix=f"`%%loon {name} --push` or `session.place({name!r})` links the part of this name",
            details={"node_id": node_id_of(name)},
        )

    # ---- state -----------------------------------------------------------------------------

    def status(self) -> SketchupStatus:
        """Whether SketchUp answers, and what of the project it shows."""
        from notebook_ext.session.truth import DesignModel
        from notebook_ext.sketchup.node_states import node_states

        truth = self._known()
        address = self._link.address
        status, rows, problem = None, None, None
        try:
            bridge = self._link.bridge()
            status = bridge.status()
            rows = bridge.nodes()
        except VcadError as error:
            problem = error
        model = DesignModel.empty() if truth is None else self._loaded().model
        return SketchupStatus(
            host=address.host,
            port=address.port,
            workspace=self.workspace,
            status=status,
            problem=problem,
            read_only=None if truth is None else truth.read_only_reason,
            nodes=node_states(model, rows),
        )

    def interrupt(self) -> None:
        """End the call to SketchUp that is under way; from another thread."""
        self._link.interrupt()

    def close(self) -> None:
        """End the connection, and leave the workspace to others."""
        self._link.close()
        with self._loading:
            if self._truth is not None:
                self._truth.close()


def _revisions(model: DesignModel) -> Mapping[str, int]:
    return {node_id: one.revision for node_id, one in model.components.items()}


def _file_of(cell: CellSource) -> str | None:
    kind, _, file = cell.cell_id.partition(":")
    return file if kind == "file" else None


def _made_of(component: Component, cell: CellSource, revision: int) -> Component:
    """A component with the cell that made its part as its source."""
    from notebook_ext.session.truth import Source

    file = _file_of(cell)
    given: Mapping[str, Any] = {"bindings": dict(cell.bindings)} if cell.bindings else {}
    source = Source("cell", text=cell.source.lstrip("\n"), extra=MappingProxyType(given))
    return replace(
        component,
        source=source if file is None else Source.of_file(file),
        parameters=MappingProxyType(dict(cell.parameters)),
        revision=revision,
        status="active",
    )


def _point(position: tuple[float, ...] | None) -> tuple[float, ...] | None:
    """Raises: ServiceFailure INVALID_PARAMS for what is no point."""
    if position is None:
        return None
    import math

    if len(position) != 3 or not all(math.isfinite(one) for one in position):
        raise ServiceFailure(
            ErrorCode.INVALID_PARAMS,
            f"a position is three numbers in mm, as 10,0,0; this is {','.join(f'{one:g}' for one in position)}",
            details={"path": "position", "expected": "3 finite numbers"},
        )
    return position
