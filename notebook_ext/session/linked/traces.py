"""Traces of the session's project: planned, kept, carried out, and tried out beside the user's model.

Each function is for the session's thread, by `Session.on_project`. A trial runs against a headless SketchUp
of its own, in which the scene stands as the truth says that SketchUp has it; neither the truth nor the
person's document changes.
"""

from __future__ import annotations

import secrets
import subprocess
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from vcad_kernel.errors import CapabilityUnavailable

if TYPE_CHECKING:
    from notebook_ext.session.linked.linked_parts import LinkedParts
    from notebook_ext.session.project.design_model import DesignModel
    from notebook_ext.sketchup.bridge.bridge import Bridge
    from notebook_ext.sketchup.push.cleaning import Clean
    from notebook_ext.sketchup.scene_check import SceneCheck
    from notebook_ext.sketchup.trace import Mode, Operation, Trace
    from notebook_ext.sketchup.trace_result import TraceResult

__all__ = ["checked_scene", "emptied", "kept", "listed", "planned", "tried"]


def planned(linked: LinkedParts, scope: Collection[str] | None, mode: Mode) -> Trace:
    """What is to be done in SketchUp for the truth as it stands; kept under its id. SketchUp need not run.

    scope: ids of components and instances; None for all. Raises: VcadError.
    """
    from notebook_ext.sketchup.planning import plan
    from notebook_ext.sketchup.trace_files import TraceFiles

    truth = linked.project.loaded()
    trace = plan(truth.model, linked.meshes, mode=mode, scope=scope)
    if not truth.read_only:
        TraceFiles(linked.project.workspace).save(trace)
    return trace


def kept(linked: LinkedParts, trace_id: str, *, operation: str) -> tuple[Trace, Mapping[str, Any] | None]:
    """A trace and what came of it last; None when it has not been carried out. Raises: VcadError."""
    from notebook_ext.sketchup.trace_files import TraceFiles

    files = TraceFiles(linked.project.workspace)
    trace = files.load(trace_id, operation=operation)
    return trace, files.result(trace_id, operation=operation) if files.has_result(trace_id) else None


def listed(
    linked: LinkedParts, limit: int, *, operation: str
) -> list[tuple[Trace, Mapping[str, Any] | None]]:
    """The newest traces, the newest first. Raises: VcadError."""
    from notebook_ext.sketchup.trace_files import TraceFiles

    names = TraceFiles(linked.project.workspace).names(limit)
    return [kept(linked, name, operation=operation) for name in names]


def checked_scene(linked: LinkedParts) -> SceneCheck:
    """How SketchUp's scene differs from the truth. Raises: VcadError."""
    from notebook_ext.sketchup.push.failures import unblocked
    from notebook_ext.sketchup.scene_check import check
    from vcad_kernel.errors import VcadError

    truth = linked.project.loaded()
    try:
        rows = linked.link.bridge().nodes(truth.model.project_id)
    except VcadError as error:
        raise unblocked(error) from error
    return check(truth.model, rows)


def emptied(linked: LinkedParts, clean: Clean) -> tuple[Operation, ...]:
    """What a clean execution takes out of the scene first. Raises: VcadError."""
    from notebook_ext.sketchup.push.cleaning import removals

    if clean == "none":
        return ()
    model = linked.project.model
    return removals(model, linked.link.bridge().nodes(model.project_id), clean)


def tried(linked: LinkedParts, trace_id: str, *, allow_partial: bool = False) -> TraceResult:
    """What would come of a trace, found out in a headless SketchUp; nothing is changed or kept.

    allow_partial: also a trace that leaves something out. Raises: VcadError, as carrying it out would;
    CAPABILITY_UNAVAILABLE where there is no Ruby.
    """
    from notebook_ext.session.project.truth import Truth
    from notebook_ext.sketchup.push.push import execute, push

    trace, _ = kept(linked, trace_id, operation="trace_smoke")
    linked.project.require_pushable("trace_smoke")
    model = linked.project.model.identified()
    workspace = linked.project.workspace
    with _headless(linked) as bridge:
        standing = Truth.scratch(_applied(model), workspace)
        if trace.mode == "incremental" and standing.model.components:
            whole = sorted({*standing.model.components, *standing.model.instances})
            push(bridge, standing, linked.meshes, allow_partial=True, accept_omitted=whole)
        truth = Truth.scratch(_both(model, standing.model), workspace)
        return execute(
            trace,
            bridge,
            truth,
            meshes=linked.meshes,
            allow_partial=allow_partial,
            accept_omitted=[part.to_json() for part in trace.omitted] if allow_partial else None,
        )


def _applied(model: DesignModel) -> DesignModel:
    """What SketchUp was given of a truth, as if none of it had been given yet."""
    there = {
        node_id: component.changed(
            applied_revision=0, applied_version=None, pending_revision=None, execution=None
        )
        for node_id, component in model.components.items()
        if component.applied_revision
    }
    instances = {}
    for instance_id, instance in {**model.removed.instances, **model.instances}.items():
        done = instance.execution
        if done is None or done.persistent_id is None or instance.component not in there:
            continue
        where = instance.transform if done.transform is None else done.transform
        instances[instance_id] = instance.changed(
            transform=where, layer=done.layer, material=done.material, execution=None
        )
    return type(model)(project_id=model.project_id, components=there, instances=instances)


def _both(model: DesignModel, standing: DesignModel) -> DesignModel:
    """The design of a truth with the ids that a trial scene has given what stands in it."""
    from notebook_ext.session.project.design_model import Removed

    components = {
        node_id: _with_execution(component, standing.components.get(node_id))
        for node_id, component in model.components.items()
    }
    instances = {
        instance_id: _with_execution(instance, standing.instances.get(instance_id))
        for instance_id, instance in model.instances.items()
    }
    gone = {
        instance_id: _with_execution(instance, standing.instances.get(instance_id))
        for instance_id, instance in model.removed.instances.items()
    }
    return model.changed(
        components=components,
        instances=instances,
        removed=Removed(model.removed.components, gone),
    )


def _with_execution(design: Any, trial: Any) -> Any:
    return design.changed(execution=None if trial is None else trial.execution)


@contextmanager
def _headless(linked: LinkedParts) -> Iterator[Bridge]:
    """A SketchUp without a window, which ends with the trial. Raises: CapabilityUnavailable."""
    from notebook_ext.sketchup.bridge.bridge import Bridge
    from notebook_ext.sketchup.bridge.connection import BridgeConnection
    from vcad_kernel.cli.sketchup.headless_sketchup import HeadlessSketchUp, NotStarted
    from vcad_kernel.cli.sketchup.ruby_runtime import NoRuby, RuntimeMissing

    token = secrets.token_hex(16)
    try:
        running = HeadlessSketchUp.start(
            port=0, repl_port=0, token=token, errors=subprocess.DEVNULL, own_group=True
        )
    except (NoRuby, RuntimeMissing, NotStarted) as refused:
        first, _, rest = str(refused).partition("\n")
        raise CapabilityUnavailable(
            first,
            fix=rest or None,
            details={"required_capability": "sketchup.headless", "negotiated_capabilities": []},
        ) from None
    with running:
        address = replace(
            linked.link.address,
            host="127.0.0.1",
            port=running.bridge_port,
            token=token,
            workspace=linked.project.workspace,
            expected_model=None,
        )
        with BridgeConnection(address) as connection:
            yield Bridge(connection)
