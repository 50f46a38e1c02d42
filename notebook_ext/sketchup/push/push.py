"""Makes SketchUp show the project's truth: executes a trace, and writes what came of it back into the truth.

    result = push(bridge, truth, meshes)

Each operation is one call and one undo step. The first failure stops; SketchUp has taken that operation back
itself, and what was done before stays unless ``rollback_all`` is set. What a person changed between
plan and execution is no conflict: geometry is exchanged where the instances stand, an instance that is there
is not placed again, and moves are sent only where the design has changed. Planning is `planning.py`'s, a
single operation `scene_writer.py`'s.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from msgspec.structs import replace

from notebook_ext.session.project.design_model import DesignModel, Removed
from notebook_ext.sketchup.bridge.answers import Identity, NodeRow
from notebook_ext.sketchup.ownership import is_proven, owned
from notebook_ext.sketchup.planning import Meshes, plan
from notebook_ext.sketchup.push.cleaning import Clean, removals
from notebook_ext.sketchup.push.failures import (
    OperationFailed,
    approval_required,
    incomplete_files,
    needs_clean_plan,
    partial_refused,
    stale_trace,
    unblocked,
)
from notebook_ext.sketchup.push.feedback import noted, unanswered
from notebook_ext.sketchup.push.scene_writer import SceneWriter
from notebook_ext.sketchup.push.taking_back import Done, taken_back
from notebook_ext.sketchup.scene_check import Finding, Scene, SceneCheck, check, merged, reconciled, surprises
from notebook_ext.sketchup.trace import Mode, Operation, Trace
from notebook_ext.sketchup.trace_files import TraceFiles
from notebook_ext.sketchup.trace_result import Cause, FailedOperation, Rollback, Status, TraceResult
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

if TYPE_CHECKING:
    from notebook_ext.session.project.truth import Truth
    from notebook_ext.sketchup.bridge.bridge import Bridge

__all__ = ["Approve", "Clean", "Log", "OperationFailed", "execute", "push", "require_whole"]

Log = Callable[[str, Mapping[str, Any]], None]
"""Takes what happened and what there is to say of it.

``trace_started``, ``operation_done`` or ``operation_failed`` for each operation, ``trace_finished``.
"""
Approve = Callable[[Sequence[Operation]], bool]
"""Asked before a ``full`` clean with all that would go; whether that is right."""

_INSTANCES: Final = "vcad.instances"
_IDENTITY: Final = "vcad.identity"
_OPERATION: Final = "push"
_SAVE_SECONDS: Final = 0.25
_SAVE_SHARE: Final = 10
"""Feedback is saved this often, and at the end; in a large project less often, so that saving takes a tenth
of the time at most. What a crash loses of it, the next push finds in the scene."""


def push(
    bridge: Bridge,
    truth: Truth,
    meshes: Meshes,
    *,
    mode: Mode = "incremental",
    clean: Clean = "none",
    scope: Collection[str] | None = None,
    allow_partial: bool = False,
    accept_omitted: Collection[Any] | None = None,
    rollback_all: bool = False,
    request_id: str | None = None,
    session_id: str | None = None,
    log: Log | None = None,
    approve: Approve | None = None,
) -> TraceResult:
    """Look at the scene, plan, execute. A ``clean`` other than ``none`` builds the whole scene anew.

    What SketchUp no longer has, by a person's hand or another document, is placed again; of a part of which
    it shows an older state, the newest is pushed again. A state that the project does not know is left, and
    reported, but for a part that ``scope`` names.
    Raises: as `plan` and `execute`.
    """
    truth.require_writable(_OPERATION)
    truth.save(truth.model)  # the project has its id by then
    rows = _adopted(bridge, truth.model, _rows(bridge, truth.model), session_id)
    chosen = truth.model.components.keys() & (truth.model.components if scope is None else scope)
    found = tuple(finding for finding in surprises(truth.model, rows) if finding.object_id in chosen)
    seen = reconciled(truth.model, rows, overwritten=None if clean != "none" else scope or ())
    truth.save(seen if clean != "none" else _shown_already(seen, meshes, chosen))
    trace = plan(truth.model, meshes, "clean" if clean != "none" else mode, scope)
    return execute(
        trace,
        bridge,
        truth,
        meshes=meshes,
        allow_partial=allow_partial,
        accept_omitted=accept_omitted,
        clean=clean,
        rollback_all=rollback_all,
        request_id=request_id,
        session_id=session_id,
        log=log,
        approve=approve,
        rows=rows,
        found=found,
    )


def execute(
    trace: Trace,
    bridge: Bridge,
    truth: Truth,
    *,
    meshes: Meshes,
    allow_partial: bool = False,
    accept_omitted: Collection[Any] | None = None,
    clean: Clean = "none",
    rollback_all: bool = False,
    request_id: str | None = None,
    session_id: str | None = None,
    log: Log | None = None,
    approve: Approve | None = None,
    rows: tuple[NodeRow, ...] | None = None,
    found: tuple[Finding, ...] = (),
    clock: Callable[[], float] = time.monotonic,
) -> TraceResult:
    """Carry a trace out, and keep it and its result as files of the workspace.

    accept_omitted: with ``allow_partial``, what the trace leaves out: its rows, or ids of objects (a
    component's stands for its instances). rollback_all: after a failure, take back what was done before.
    session_id: written beside what is put into the model. rows: what the model shows now, if the caller has
    just asked. found: how that differed from the project, for the result.
    Raises: before anything is changed, ServiceFailure TRACE_INCOMPLETE, PARTIAL_EXECUTION_REFUSED,
    STALE_REVISION, CAPABILITY_UNAVAILABLE, HOST_BLOCKED, APPROVAL_REQUIRED, BUSY, and what a connection that
    cannot be made raises; afterwards OperationFailed, with the result.
    """
    truth.require_writable(_OPERATION)
    trace.verify(_OPERATION)
    require_whole(trace, truth.model, allow_partial, accept_omitted)
    if clean != "none" and (trace.mode != "clean" or trace.scope is not None):
        raise needs_clean_plan(clean)
    _require_current(trace, truth)
    if lacking := _files_lacking(trace, truth):
        raise incomplete_files(lacking)
    if rows is None:
        truth.save(truth.model)
        rows = _adopted(bridge, truth.model, _rows(bridge, truth.model), session_id)
    emptying = removals(truth.model, rows, clean)
    if clean == "full" and emptying and not (approve is not None and approve(emptying)):
        raise approval_required(emptying)
    if trace.operations or emptying:
        bridge.connection.require(_INSTANCES, _OPERATION)
        _require_identity(bridge, truth.model, rows, (*emptying, *trace.operations))
    noting = _Noting(request_id or uuid4().hex, session_id, log or _no_log, found)
    run = _Run(trace, bridge, truth, meshes, rows, noting, clock)
    return run.executed(emptying, cleaned=clean != "none", rollback_all=rollback_all)


@dataclass(frozen=True, slots=True)
class _Noting:
    """What is written beside a run, in the model, in the log and in its result."""

    request_id: str
    session_id: str | None
    log: Log
    found: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _Failure:
    """Where a run stopped."""

    operation: Operation
    index: int | None
    """Among the trace's operations; None while the scene was being emptied."""
    error: VcadError

    @property
    def is_interruption(self) -> bool:
        """Whether the user no longer waits."""
        stopped = (ErrorCode.EVAL_CANCELLED, ErrorCode.CANCELLED)
        return self.error.error_code in stopped or bool(self.error.details.get("interrupted"))

    def noted(self) -> FailedOperation:
        """As the result has it."""
        details = {key: value for key, value in self.error.details.items() if _is_plain(value)}
        return FailedOperation(
            operation_id=self.operation.operation_id,
            index=self.index,
            type=self.operation.type,
            target=self.operation.target,
            error=Cause(str(self.error.error_code), self.error.message, details),
        )


class _Run:
    """One execution of a trace."""

    def __init__(
        self,
        trace: Trace,
        bridge: Bridge,
        truth: Truth,
        meshes: Meshes,
        rows: tuple[NodeRow, ...],
        noting: _Noting,
        clock: Callable[[], float],
    ) -> None:
        self._trace = trace
        self._bridge = bridge
        self._truth = truth
        self._meshes = meshes
        self._request_id = noting.request_id
        self._log = noting.log
        self._found = noting.found
        self._clock = clock
        self._model = truth.model
        self._save_at = clock() + _SAVE_SECONDS
        self._done: list[Done] = []
        scene = Scene(truth.model, rows)
        self._writer = SceneWriter(
            bridge,
            tuple(scene.rows.values()),
            scene.known,
            scene.copies,
            noting.request_id,
            project_id=truth.model.project_id,
            session_id=noting.session_id,
        )

    def executed(self, emptying: Sequence[Operation], *, cleaned: bool, rollback_all: bool) -> TraceResult:
        """Do it, and log its begin and end. Raises: OperationFailed."""
        about = {"trace_id": self._trace.trace_id, "request_id": self._request_id}
        self._log("trace_started", {**about, "operations": len(emptying) + len(self._trace.operations)})
        status: Status = "failed"
        try:
            result = self._carried_out(emptying, cleaned=cleaned, rollback_all=rollback_all)
            status = result.status
        finally:
            self._log("trace_finished", {**about, "status": status})
        return result

    def _carried_out(
        self, emptying: Sequence[Operation], *, cleaned: bool, rollback_all: bool
    ) -> TraceResult:
        """Raises: OperationFailed."""
        if emptying or self._trace.operations:
            self._writer.model_revision = self._bridge.status().model_revision
        failure = self._all((None, operation) for operation in emptying)
        if cleaned and failure is None:
            self._model = replace(self._model, removed=Removed())  # what of it still stands is a person's
        failure = failure or self._all(enumerate(self._trace.operations))
        removed = tuple(done.operation.target for done in self._done[: len(emptying)])
        executed = tuple(done.result for done in self._done[len(emptying) :])
        rollback = Rollback()
        if failure is not None and rollback_all:
            rollback, self._model = taken_back(self._done, self._model, self._writer, self._meshes)
        if executed or emptying:
            operations = tuple(operation.to_json() for operation in self._trace.operations)
            self._model = replace(self._model, operations=operations)
        self._save()
        status: Status = "failed" if failure else "executed" if executed or removed else "unchanged"
        result = TraceResult(
            trace_id=self._trace.trace_id,
            request_id=self._request_id,
            status=status,
            executed=executed,
            removed=removed,
            failed_operation=None if failure is None else failure.noted(),
            rollback=rollback,
            model_revision=self._writer.model_revision,
            found=self._found,
            contamination=self._compared(failure),
        )
        self._keep(result)
        if failure is not None:
            raise OperationFailed(result, failure.operation, failure.index, failure.error)
        return result

    def _all(self, steps: Iterable[tuple[int | None, Operation]]) -> _Failure | None:
        for index, operation in steps:
            before = self._writer.model_revision
            try:
                result = self._writer.write(operation)
            except VcadError as error:
                self._log_operation("operation_failed", operation, error_code=str(error.error_code))
                if error.error_code == ErrorCode.UNKNOWN_OUTCOME:
                    self._model = unanswered(self._model, operation)
                return _Failure(operation, index, error)
            self._done.append(Done(operation, result, self._model, before))
            self._model = noted(self._model, operation, result)
            self._log_operation(
                "operation_done", operation, elapsed_ms=result.elapsed_ms, settled=result.settled
            )
            if self._clock() >= self._save_at:
                self._save()
        return None

    def _save(self) -> None:
        """Write the feedback into the file; if it was changed meanwhile, into the changed one."""
        began = self._clock()
        try:
            self._model = self._truth.save(self._model)
        except ServiceFailure as error:
            if error.error_code != ErrorCode.REVISION_CONFLICT:
                raise
            theirs = self._truth.reload()
            if self._truth.problem is not None:
                raise self._truth.problem from error
            for done in self._done:
                theirs = noted(theirs, done.operation, done.result)
            self._model = self._truth.save(replace(theirs, operations=self._model.operations))
        now = self._clock()
        self._save_at = now + max(_SAVE_SECONDS, _SAVE_SHARE * (now - began))

    def _compared(self, failure: _Failure | None) -> SceneCheck | None:
        if failure is not None and failure.is_interruption:
            return None
        try:
            return check(self._model, self._bridge.nodes(self._model.project_id))
        except VcadError:
            if failure is None:
                raise
            return None  # the failure says enough

    def _keep(self, result: TraceResult) -> None:
        if not self._truth.is_scratch:
            files = TraceFiles(self._truth.workspace)
            try:
                files.save(self._trace)
                files.save_result(result)
            except ServiceFailure as unsaved:  # what has been done in SketchUp is reported all the same
                self._log("trace_not_kept", {"error_code": str(unsaved.error_code)})

    def _log_operation(self, what: str, operation: Operation, **more: Any) -> None:
        fields = {"operation_id": operation.operation_id, "type": operation.type, "target": operation.target}
        self._log(what, {**fields, "trace_id": self._trace.trace_id, "request_id": self._request_id, **more})


def _rows(bridge: Bridge, model: DesignModel) -> tuple[NodeRow, ...]:
    """What SketchUp's model shows of a project.

    Raises: ServiceFailure HOST_BLOCKED when SketchUp cannot say.
    """
    try:
        return bridge.nodes(model.project_id)
    except VcadError as error:
        raise unblocked(error) from error


def _adopted(
    bridge: Bridge, model: DesignModel, rows: tuple[NodeRow, ...], session_id: str | None
) -> tuple[NodeRow, ...]:
    """The rows, with those of before there were projects, and proven to be ours, marked so in SketchUp."""
    unmarked = {
        row.definition_persistent_id: row for row in owned(model, rows).ours if row.project_id is None
    }
    if not unmarked:
        return rows
    for persistent_id, row in unmarked.items():
        component = model.components[row.node_id]
        is_newest = component.applied_version == row.version and component.execution is not None
        digest = component.execution.mesh_digest if is_newest and component.execution else None
        if persistent_id is not None:
            bridge.adopt_node(row.node_id, persistent_id, Identity(model.project_id, digest, session_id))
    return _rows(bridge, model)


def _shown_already(model: DesignModel, meshes: Meshes, chosen: Collection[str]) -> DesignModel:
    """The truth with what SketchUp shows already noted as given to it: equal digests are equal geometry."""
    for node_id in sorted(chosen):
        component = model.components[node_id]
        standing = None if component.execution is None else component.execution.mesh_digest
        if standing is None or component.applied_revision >= component.revision:
            continue
        if meshes.unavailable(node_id, component.revision) is not None:
            continue
        if meshes.mesh(node_id, component.revision).digest == standing:
            shown = replace(component, applied_revision=component.revision)
            model = model.with_component(node_id, shown)
    return model


def _require_identity(
    bridge: Bridge, model: DesignModel, rows: tuple[NodeRow, ...], operations: Sequence[Operation]
) -> None:
    """Let pass what cannot hit another project's parts, where the extension cannot tell whose they are.

    Raises: ServiceFailure CAPABILITY_UNAVAILABLE.
    """
    handshake = bridge.connection.ensure_handshake(_OPERATION)
    if handshake.supports(_IDENTITY):
        return
    standing = merged(rows)
    for operation in operations:
        node_id = operation.payload.get("component", operation.target)
        row = standing.get(node_id)
        if row is None or node_id in model.removed.components or is_proven(model, row):
            continue
        component = model.components.get(node_id)
        known = component is not None and (component.applied_revision or component.pending_revision)
        if not known and operation.type in ("upsert_definition", "remove_definition", "remove_instance"):
            raise handshake.refusal(_IDENTITY, f"{operation.type} of {node_id}")


def require_whole(
    trace: Trace, model: DesignModel, allow_partial: bool, accept_omitted: Collection[Any] | None
) -> None:
    """Let pass a trace that leaves nothing out, or only what is accepted word for word, as `execute` does.

    Raises: ServiceFailure PARTIAL_EXECUTION_REFUSED.
    """
    if trace.omitted and not (allow_partial and _accepted(trace, model, accept_omitted)):
        raise partial_refused(trace)


def _accepted(trace: Trace, model: DesignModel, accepted: Collection[Any] | None) -> bool:
    """Whether the caller has named all that is left out."""
    named = list(accepted or ())
    rows = [left_out.to_json() for left_out in trace.omitted]
    if any(isinstance(item, Mapping) for item in named):
        key = ("object_id", "reason")
        named_rows = [{name: item.get(name) for name in key} for item in named if isinstance(item, Mapping)]
        return len(named_rows) == len(named) and sorted(named_rows, key=repr) == sorted(rows, key=repr)
    covered = set(named)
    covered |= {name for name, instance in model.instances.items() if instance.component in covered}
    return all(left_out.object_id in covered for left_out in trace.omitted)


def _require_current(trace: Trace, truth: Truth) -> None:
    """Nothing old ever wins. Raises: ServiceFailure STALE_REVISION when the design has moved on."""
    if truth.is_scratch:
        return
    model = truth.model
    for operation in trace.operations:
        if operation.type == "upsert_definition":
            component = model.components.get(operation.target)
            if component is None or component.revision != operation.payload["revision"]:
                current = None if component is None else component.revision
                raise stale_trace(operation.target, operation.payload["revision"], current)
        elif operation.type in ("place_instance", "move_instance", "set_layer", "set_material"):
            instance = model.instances.get(operation.target)
            if instance is None or any(
                operation.payload[key] != value
                for key, value in (
                    ("component", instance.component),
                    ("transform", list(instance.transform)),
                    ("layer", instance.layer),
                    ("material", instance.material),
                )
                if key in operation.payload
            ):
                raise stale_trace(operation.target, None, None)
        elif operation.target in model.components or operation.target in model.instances:
            raise stale_trace(operation.target, None, None)


def _files_lacking(trace: Trace, truth: Truth) -> list[str]:
    paths = [
        str(operation.payload["mesh_path"])
        for operation in trace.operations
        if operation.type == "upsert_definition"
    ]
    return [path for path in paths if not (truth.workspace / path).is_file()]


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float | str | list | dict | tuple)


def _no_log(what: str, fields: Mapping[str, Any]) -> None:
    """Where there is no log."""
