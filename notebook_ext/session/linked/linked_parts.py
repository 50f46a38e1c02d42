"""The parts that stand in SketchUp, or are to: the project's truth, and pushing it.

On the session's thread only. What the user asks for is saved first, so that it is kept when SketchUp is not
there. How the parts come about is in `evaluated_nodes.py`; cells, plans, files and the connection have files
of their own, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, get_args

from notebook_ext.session.cells.cells import Cells
from notebook_ext.session.linked.evaluated_nodes import Current, EvaluatedNodes
from notebook_ext.session.linked.kept_files import KeptFiles
from notebook_ext.session.linked.reconciling import Reconciling
from notebook_ext.session.linked.sources import (
    cell_of_component,
    cell_of_file,
    cell_of_known_file,
    file_of,
    made_of,
    with_values,
)
from notebook_ext.session.node_names import checked_node_id, name_of, node_id_of
from notebook_ext.session.project.project import Project
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError
from vcad_kernel.request_id import request

if TYPE_CHECKING:
    from notebook_ext.display.part import Part
    from notebook_ext.session.linked.placing import Placing
    from notebook_ext.session.linked.pushed_meshes import PushedMeshes
    from notebook_ext.session.log.log import SessionLog
    from notebook_ext.session.project.truth import Component, DesignModel, Transform, Truth
    from notebook_ext.sketchup.bridge.bridge import Bridge
    from notebook_ext.sketchup.bridge.handshake import Handshake
    from notebook_ext.sketchup.bridge.link import SketchupLink
    from notebook_ext.sketchup.push.push import Approve, Clean
    from notebook_ext.sketchup.status import SketchupStatus
    from notebook_ext.sketchup.trace import Mode, Trace
    from notebook_ext.sketchup.trace_result import TraceResult
    from notebook_ext.state_file import StateFile
    from vcad_kernel.ir.parameter import Parameter

__all__ = ["LinkedParts"]


class LinkedParts:
    """nodes: what stands for which revision. cells: evaluate them. notify: called with what happens.

    session_id: written beside what is put into SketchUp's model.
    """

    def __init__(
        self,
        project: Project,
        nodes: EvaluatedNodes,
        cells: Cells,
        log: SessionLog,
        notify: Callable[..., None],
        session_id: str,
        state: StateFile,
    ) -> None:
        self.project = project
        self._files = KeptFiles(state, log)
        self._session_id = session_id
        self.nodes = nodes
        self._cells = cells
        self._log = log
        self._notify = notify
        self.reconciling = Reconciling(
            project, log, lambda: self.link.bridge(), lambda nodes: self._pushed_through(nodes)
        )
        """Whether SketchUp shows the project; looked at when it is first met."""
        self.on_push: Callable[[Collection[str] | None], object] = _nobody_measures
        """Called with the ids that a push was about, None for all, where it has changed something."""
        self.on_placed: Callable[[], object] = _nobody_draws
        """Called where the project may say of other instances, or of other places for them."""
        self._meshes: PushedMeshes | None = None
        self._link: SketchupLink | None = None
        self._making = Lock()

    @property
    def meshes(self) -> PushedMeshes:
        """The files that SketchUp reads them from."""
        if self._meshes is None:
            from notebook_ext.session.linked.pushed_meshes import PushedMeshes

            counts = self.nodes.counts
            self._meshes = PushedMeshes(
                lambda: self.project.workspace,
                self._part,
                self._imports,
                lambda: counts.add("artifact_manifests_written_total"),
            )
        return self._meshes

    @property
    def link(self) -> SketchupLink:
        """The way to SketchUp."""
        with self._making:  # what watches SketchUp asks for it on a thread of its own
            if self._link is None:
                from notebook_ext.sketchup.bridge.link import SketchupLink

                self._link = SketchupLink(lambda: self.project.workspace, self._log.bridge)
            return self._link

    def bridge(self) -> Bridge:
        """The one to talk to; connected with the first call. Raises: ServiceFailure SETTING_INVALID."""
        return self.link.bridge()

    @property
    def workspace(self) -> Path:
        """The folder of the project."""
        return self.project.workspace

    # ---- evaluating ------------------------------------------------------------------------

    def evaluate(self, name: str, source: str | Path | None) -> None:
        """Evaluate a node: new text or a file for it, or its own source once more.

        Of its own file, be it named or not, the parameters keep the values that were set.
        Raises: VcadError, LoonCellFailed.
        """
        node_id = node_id_of(name)
        if isinstance(source, Path):
            cell = cell_of_file(self.project.workspace, name, source)
            current = self.nodes.current(node_id)
            if current is not None and current.cell.cell_id == cell.cell_id:
                cell = self._own_cell(name)
            self._cells.run(cell, name)
        elif source is not None:
            self._cells.run(CellSource(f"node:{node_id}", source, name, bind=name), name)
        else:
            self._cells.run(self._own_cell(name), name)

    def _own_cell(self, name: str) -> CellSource:
        """How a node is evaluated again. Raises: ServiceFailure NODE_NOT_FOUND, SOURCE_FILE_MISSING."""
        node_id = node_id_of(name)
        current = self.nodes.current(node_id)
        if current is not None:
            file = file_of(current.cell)
            if file is None:
                return current.cell
            cell = cell_of_known_file(self.project.workspace, name, file)
            return self._with_values(cell, current.cell.parameters, current.part.result.parameters)
        component = self.project.loaded().model.components.get(node_id)
        if component is None:
            raise self.project.not_linked(name)
        cell = cell_of_component(self.project.workspace, node_id, component)
        return cell if file_of(cell) is None else self._with_values(cell, component.parameters, ())

    def as_it_is_now(self, cell: CellSource) -> CellSource:
        """A cell with the text of its file, where it is a file's; its parameters keep their values.

        Raises: ServiceFailure SOURCE_FILE_MISSING; as `cell_of_file`.
        """
        return cell if file_of(cell) is None or cell.bind is None else self._own_cell(cell.bind)

    def has_text_of_its_file(self, cell: CellSource) -> bool:
        """Whether a file's cell has the text that the file has now; asks only the disk."""
        file = file_of(cell)
        if file is None:
            return False
        try:
            return cell_of_known_file(self.project.workspace, cell.bind or "", file).source == cell.source
        except VcadError:
            return False

    def make(self, name: str) -> None:
        """Evaluate a node's own source, as a change of its own. Raises: VcadError, LoonCellFailed."""
        self.nodes.accept(name).begin()
        with self.nodes.failure_reported(name):
            self.evaluate(name, None)

    def files_of_unmade(self) -> dict[str, list[str]]:
        """The files of linked parts that no cell has made here yet, each with the names of its parts.

        Their modules, too, as far as an earlier kernel has kept which they are.
        """
        files: dict[str, list[str]] = {}
        for node_id, component in self._unmade():
            own = [component.source.file] if component.source.file else []
            for path in dict.fromkeys((*own, *self._files.of(node_id))):
                files.setdefault(path, []).append(name_of(node_id))
        return files

    def keep_files(self) -> None:
        """Have later kernels know from which files the linked parts were made."""
        truth = self.project.known()
        if truth is None or truth.read_only:
            return
        files = {}
        for node_id in truth.model.components:
            current = self.nodes.current(node_id)
            run = None if current is None else self._cells.dependencies.run_of(current.cell.cell_id)
            if made_from := self._files.of(node_id) if run is None or run.error else run.files:
                files[node_id] = made_from
        self._files.keep(files)

    def unmade_since(self) -> int | None:
        """From when on, as of `file_time`, such a file may be newer than its part; None without one."""
        truth = self.project.known()
        return truth.found_from if truth is not None and self.files_of_unmade() else None

    def entities_of_unmade(self) -> dict[str, list[str]]:
        """The entities that such parts import, each with the names of its parts; from any thread.

        ``pid:…`` where the persistent id is known, else ``id:…``.
        """
        entities: dict[str, list[str]] = {}
        for node_id, component in self._unmade():
            for row in component.imports:
                reference = str(row["entity_ref"])
                if not reference.startswith("node:"):
                    key = reference.replace("entity:", "id:", 1)
                    entities.setdefault(key, []).append(name_of(node_id))
        return entities

    def _unmade(self) -> list[tuple[str, Component]]:
        """The linked parts that no cell has made here yet, by id."""
        truth = self.project.known()
        if truth is None or not truth.model.components:
            return []
        return [each for each in truth.model.components.items() if self.nodes.current(each[0]) is None]

    def standing_in_sketchup(self, names: Collection[str]) -> list[str]:
        """Those of some parts that were pushed to a SketchUp which this session is connected to."""
        return self.given_to_sketchup(names) if self._link is not None and self._link.is_connected else []

    def given_to_sketchup(self, names: Collection[str]) -> list[str]:
        """Those of some parts that were pushed, by this session or an earlier one."""
        components = self.standing().components
        nodes = {name: components.get(node_id_of(name)) for name in names}
        return [name for name, component in nodes.items() if component and component.applied_revision]

    def _with_values(
        self, cell: CellSource, values: Mapping[str, Any], before: Sequence[Parameter]
    ) -> CellSource:
        """A file's cell with the values that were set for its parameters, where they still fit."""
        if not values:
            return cell
        try:
            result = self._cells.solid_apart(replace(cell, parameters={}))
        except VcadError:
            return replace(cell, parameters=dict(values))  # it fails in its turn, and is reported then
        return with_values(cell, values, result.parameters, before)

    def _part(self, node_id: str, revision: int) -> Part:
        """The part of a node's revision, for its mesh. Raises: VcadError where there is none."""
        current = self.nodes.current(node_id)
        if current is not None and current.revision == revision:
            return current.part
        if current is not None or self.nodes.is_under_way(node_id, revision):
            good = current.revision if current is not None else 0
            raise ServiceFailure(
                ErrorCode.STALE_REVISION,
                f"revision {revision} of it has not been built"
                + (f"; the last good one is {good}" if good else " here"),
                fix="mend its source, then run its cell again or update it from its file",
                details={"node_id": node_id, "revision": revision, "current": good},
            )
        from notebook_ext.display.part import Part

        name = name_of(node_id)
        cell = self._own_cell(name)
        result = self._cells.solid_apart(cell)
        part = Part(name, result, cell.source, lambda _: None, result.parts)
        imports = self.project.loaded().model.components[node_id].imports
        self.nodes.keep(node_id, Current(part, cell, revision, imports))
        return part

    def cells_of(self, names: Sequence[str]) -> list[CellSource]:
        """How linked parts that no cell has made here would be made; of a name that is not linked none."""
        linked = self.standing().components
        return [self._own_cell(name) for name in names if node_id_of(name) in linked]

    def _imports(self, node_id: str) -> Sequence[Mapping[str, Any]]:
        """What a node is built from besides its text."""
        current = self.nodes.current(node_id)
        return () if current is None else current.imports

    @property
    def degraded(self) -> int:
        """How many linked parts are; from any thread."""
        truth = self.project.known()
        components = {} if truth is None else truth.model.components
        return sum(component.status == "degraded" for component in components.values())

    def state(self) -> tuple[SketchupStatus, Handshake | None]:
        """As `status`, and what was agreed on with what answers."""
        status = self.status()
        return status, self.link.bridge().connection.handshake if status.connected else None

    def standing_part(self, node_id: str) -> Part:
        """The part that a linked node is now, made where no cell has made it yet. Raises: VcadError."""
        current = self.nodes.current(node_id)
        if current is not None:
            return current.part
        component = self.project.loaded().model.components.get(node_id)
        if component is None:
            raise self.project.not_linked(name_of(node_id))
        return self._part(node_id, component.revision)

    # ---- placing and pushing ---------------------------------------------------------------

    def place(self, name: str, placing: Placing) -> TraceResult:
        """Link a part, and push it; see `Session.place`."""
        from notebook_ext.session.project.truth import Component, Source

        self.project.require_pushable("place")
        node_id = checked_node_id(name)
        truth = self.project.loaded()
        current = self.nodes.current(node_id)
        component = truth.model.components.get(node_id)
        if current is None and component is None:
            raise self.project.not_linked(name)
        if component is None:
            component = Component(Source.of_cell(""))
        if placing.component_name is not None:
            component = component.changed(component_name=placing.component_name)
        current = self.nodes.numbered(node_id)
        if current is not None and current.revision >= component.revision:  # else it is not the newest
            component = made_of(component, current.cell, current.revision, current.imports)
        truth.save(placing.applied_to(truth.model.with_component(node_id, component), node_id))
        self.on_placed()
        self._notify("placed", name, component.revision)
        return self.push([name])

    def remove(self, name: str, instance: str | None) -> TraceResult:
        """Take a node, or one instance of it, out of SketchUp; see `Session.remove`."""
        self.project.require_pushable("remove")
        node_id = checked_node_id(name)
        truth = self.project.loaded()
        if node_id not in truth.model.components:
            raise self.project.not_linked(name)
        gone = node_id
        if instance is None:
            truth.save(truth.model.without_component(node_id))
        else:
            gone = checked_node_id(instance, argument="instance")
            there = dict(truth.model.instances_of(node_id))
            if gone not in there:
                raise _no_instance(name, instance, there)
            truth.save(truth.model.without_instance(gone))
        self.on_placed()
        self._notify("removed", name)
        removed = truth.model.removed
        # what SketchUp was never given is not there to be removed
        given = gone in removed.components or gone in removed.instances
        return self._pushed_through([gone] if given else [])

    def plan(self, names: Collection[str] | None, mode: Mode) -> Trace:
        """What a push would do; see `Session.plan`."""
        from notebook_ext.sketchup.planning import plan
        from notebook_ext.sketchup.trace_files import TraceFiles

        truth = self.project.loaded()
        trace = plan(truth.model, self.meshes, mode=mode, scope=self.project.scope(names))
        if not truth.read_only:
            try:
                TraceFiles(self.project.workspace).save(trace)
            except ServiceFailure as unsaved:  # it is the plan all the same
                self._log.event("trace_not_kept", level="warning", error_code=str(unsaved.error_code))
        return trace

    def push(self, names: Collection[str] | None, *, omit: Collection[str] = ()) -> TraceResult:
        """Bring SketchUp up to the project; see `Session.push`."""
        self.project.require_pushable("push")
        return self._pushed_through(self.project.scope(names), omit=omit)

    def replay(self, clean: Clean, approve: Approve | None = None) -> TraceResult:
        """Build everything anew; see `Session.replay`. approve: asked before a full clean."""
        from notebook_ext.sketchup.push.cleaning import Clean as Known

        if clean not in (known := get_args(Known)):
            raise ServiceFailure(
                ErrorCode.INVALID_PARAMS,
                f"nothing is cleaned by {clean!r}; there are {', '.join(known)}",
                details={"path": "clean", "expected": f"one of {', '.join(known)}"},
            )
        self.project.require_pushable("replay")
        return self._pushed_through(None, mode="clean", clean=clean, approve=approve)

    def _save_what_is_unsaved(self, truth: Truth) -> None:
        """What cells have made while the disk was full. Raises: ServiceFailure SAVE_FAILED while it is."""
        for node_id in sorted(self.nodes.unsaved):
            component, current = truth.model.components.get(node_id), self.nodes.numbered(node_id)
            if component is not None and current is not None:
                made = made_of(component, current.cell, current.revision, current.imports)
                truth.save(truth.model.with_component(node_id, made))
            self.nodes.unsaved.discard(node_id)

    def _pushed_through(
        self,
        scope: Collection[str] | None,
        *,
        omit: Collection[str] = (),
        mode: Mode = "incremental",
        clean: Clean = "none",
        approve: Approve | None = None,
    ) -> TraceResult:
        from notebook_ext.sketchup.push.push import push

        truth = self.project.loaded()
        self._save_what_is_unsaved(truth)
        accepted = sorted(self.project.scope(omit) or ())
        self.reconciling.before(scope)
        with request() as request_id:
            result = push(
                self.link.bridge(),
                truth,
                self.meshes,
                mode=mode,
                clean=clean,
                scope=scope,
                allow_partial=bool(omit),
                accept_omitted=accepted or None,
                request_id=request_id,
                session_id=self._session_id,
                log=self._log,
                approve=approve,
            )
        self.reconciling.pushed(scope)
        self.on_placed()  # the project's file may have been another's by then
        self._notify("pushed", None)
        if result.status != "unchanged":
            self.on_push(scope)
        return result

    def execute(self, trace: Trace, **options: Any) -> TraceResult:
        """Carry a trace out as it stands; options as of `notebook_ext.sketchup.push.push.execute`."""
        from notebook_ext.sketchup.push.push import execute

        self.project.require_pushable("push")
        self.reconciling.before(None)
        with request() as request_id:
            result = execute(
                trace,
                self.link.bridge(),
                self.project.loaded(),
                meshes=self.meshes,
                request_id=request_id,
                session_id=self._session_id,
                log=self._log,
                **options,
            )
        self._notify("pushed", None)
        return result

    def standing(self) -> DesignModel:
        """The truth as it is on the disk; empty where the project has none. Raises: VcadError."""
        from notebook_ext.session.project.truth import DesignModel

        truth = self.project.current()
        return DesignModel.empty() if truth is None else truth.model

    def placements(self) -> Mapping[str, Mapping[str, Transform]]:
        """Component → its instances, each with where it is to stand; from any thread."""
        truth = self.project.known()
        return {} if truth is None else truth.model.placements()

    # ---- state -----------------------------------------------------------------------------

    def status(self) -> SketchupStatus:
        """Whether SketchUp answers, and what of the project it shows."""
        from notebook_ext.session.project.truth import DesignModel
        from notebook_ext.session.project.workspace import refusal_for_push
        from notebook_ext.sketchup.status import SketchupStatus, node_states

        truth = self.project.known()
        address = self.link.address
        model = DesignModel.empty() if truth is None else self.project.loaded().model
        status, rows, problem = None, None, None
        try:
            bridge = self.link.bridge()
            status = bridge.status()
            rows = bridge.nodes(model.project_id)
            self.reconciling.seen(model, rows)
        except VcadError as error:
            problem = error
        return SketchupStatus(
            host=address.host,
            port=address.port,
            workspace=self.project.workspace,
            status=status,
            problem=problem,
            read_only=refusal_for_push(self.project.workspace)
            or (None if truth is None else truth.read_only_reason),
            nodes=node_states(model, rows),
            trouble=self.project.trouble,
        )

    def start_headless(self) -> None:
        """Have a SketchUp without a window; see `Session.start_headless_sketchup`."""
        self.project.require_pushable("start_headless_sketchup")
        self.link.start_headless()

    def picture(self, view: str, width: int, height: int) -> bytes:
        """SketchUp's own picture of its model; see `Session.picture_of_sketchup`."""
        self.project.require_pushable("picture")
        path = self.link.bridge().standard_view(view, width=width, height=height)
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
        if self._link is not None:
            self._link.interrupt()

    def close(self) -> None:
        """End the connection."""
        if self._link is not None:
            self._link.close()


def _nobody_draws() -> None:
    """Until there is a listener."""


def _nobody_measures(_nodes: Collection[str] | None) -> None:
    """Until there is a listener."""


def _no_instance(name: str, instance: str, there: Collection[str]) -> ServiceFailure:
    known = ", ".join(name_of(node_id) for node_id in there) or "none"
    return ServiceFailure(
        ErrorCode.NODE_NOT_FOUND,
        f"{name} has no instance {instance!r}; it has {known}",
        details={"node_id": node_id_of(instance)},
    )
