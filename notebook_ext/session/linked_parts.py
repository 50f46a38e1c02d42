"""The parts that stand in SketchUp, or are to: the project's truth, and pushing it.

On the session's thread only. What the user wishes is saved first, so that it is kept when SketchUp is not
there. How the parts come about is in `evaluated_nodes.py`; cells, plans, files and the connection have files
of their own, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from msgspec import structs

from notebook_ext.session.cells import Cells
from notebook_ext.session.evaluated_nodes import EvaluatedNodes
from notebook_ext.session.linked_sources import made_of
from notebook_ext.session.node_names import checked_node_id, name_of, node_id_of
from notebook_ext.session.project import Project
from notebook_ext.session.pushed_meshes import PushedMeshes
from notebook_ext.sketchup.link import SketchupLink, SketchupStatus
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError
from vcad_kernel.request_id import request

if TYPE_CHECKING:
    from notebook_ext.session.log import SessionLog
    from notebook_ext.session.placing import Placing
    from notebook_ext.session.truth import DesignModel
    from notebook_ext.sketchup.push import Approve, Clean
    from notebook_ext.sketchup.trace import Mode, Trace, TraceResult

__all__ = ["LinkedParts"]


class LinkedParts(EvaluatedNodes):
    """tell: told what has happened to a node."""

    def __init__(self, project: Project, cells: Cells, log: SessionLog, tell: Callable[..., None]) -> None:
        super().__init__(project, cells, log, tell)
        self._link = SketchupLink(lambda: project.workspace, log.bridge)

    @property
    def meshes(self) -> PushedMeshes:
        """The files that SketchUp reads them from."""
        return self._meshes

    @property
    def link(self) -> SketchupLink:
        """The way to SketchUp."""
        return self._link

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
            component = structs.replace(component, component_name=wish.component_name)
        if current is not None and current.revision == 0:
            current = self._current[node_id] = replace(current, revision=self._new_number(node_id))
        if current is not None and current.revision >= component.revision:  # else it is not the newest
            component = made_of(component, current.cell, current.revision)
        truth.save(wish.applied_to(truth.model.with_component(node_id, component), node_id))
        self._tell("placed", name, component.revision)
        return self.push([name])

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


def _no_instance(name: str, instance: str, there: Collection[str]) -> ServiceFailure:
    known = ", ".join(name_of(one) for one in there) or "none"
    return ServiceFailure(
        ErrorCode.NODE_NOT_FOUND,
        f"{name} has no instance {instance!r}; it has {known}",
        details={"node_id": node_id_of(instance)},
    )
