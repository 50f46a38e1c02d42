"""What can stop a push, before it begins and on its way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from notebook_ext.session.node_names import name_of
from notebook_ext.session.project.canonical import json_object
from notebook_ext.sketchup.trace import Operation, Trace
from notebook_ext.sketchup.trace_result import TraceResult
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

__all__ = [
    "OperationFailed",
    "approval_required",
    "incomplete_files",
    "needs_clean_plan",
    "partial_refused",
    "stale_trace",
    "unblocked",
]

_OPERATION: Final = "push"
_BLOCKED: Final = (ErrorCode.MODEL_UNAVAILABLE, ErrorCode.BUSY, ErrorCode.TOOL_NOT_FOUND)
_UNSURE: Final = (ErrorCode.UNKNOWN_OUTCOME, ErrorCode.STATE_CHANGED)
"""After these, the next push looks, and goes on from what it finds."""


class OperationFailed(ServiceFailure):
    """OPERATION_FAILED: an operation of a trace could not be carried out, and the rest was not tried.

    ``details`` has ``operation_id``, ``index``, ``rollback``, ``model_revision``, ``executed`` (ids of the
    operations that stand) and ``cause`` (the failure as the bridge reported it).
    """

    def __init__(
        self, result: TraceResult, operation: Operation, index: int | None, cause: VcadError
    ) -> None:
        self.result = result
        self.cause = cause
        failed = result.failed_operation
        taken_back = result.rollback.status == "complete"
        standing = [
            done.operation_id
            for done in result.executed
            if not taken_back
            and (result.rollback.status == "not_needed" or done.operation_id in result.rollback.remaining)
        ]
        names = [
            f"{done.type} {name_of(done.target)}" for done in result.executed if done.operation_id in standing
        ]
        shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        before = f"; done before it, and standing: {shown}" if names else ""
        if taken_back:
            before = "; everything before it was taken back"
        what = f"{operation.type.replace('_', ' ')} of {name_of(operation.target)}"
        left = "failed and left nothing"
        if cause.error_code in _UNSURE:
            left = "was asked for, and whether SketchUp has done it is not known"
        super().__init__(
            ErrorCode.OPERATION_FAILED,
            f"{what} {left}: {cause.message}{before}",
            fix=cause.fix or "mend the cause, and push again: it goes on where this one stopped",
            details={
                "operation": operation.type,
                "operation_id": operation.operation_id,
                "index": index,
                "rollback": result.rollback.to_json(),
                "model_revision": result.model_revision,
                "executed": standing,
                "cause": None if failed is None else json_object(failed.error),
            },
        )


def partial_refused(trace: Trace) -> ServiceFailure:
    """Something cannot be pushed, and the caller has not allowed it to be left out."""
    shown = "; ".join(f"{name_of(left_out.object_id)}: {left_out.reason}" for left_out in trace.omitted[:5])
    more = len(trace.omitted) - 5
    return ServiceFailure(
        ErrorCode.PARTIAL_EXECUTION_REFUSED,
        f"not everything can be pushed: {shown}{f'; and {more} more' if more > 0 else ''}",
        fix=(
            "mend these, or leave them out: `%loon_push --omit NAME`, `session.push(omit=[NAME])`; an agent "
            "calls trace_execute with allow_partial and this very list as accept_omitted"
        ),
        details={"omitted": [left_out.to_json() for left_out in trace.omitted], "operation": _OPERATION},
    )


def needs_clean_plan(clean: str) -> ServiceFailure:
    """A scene is emptied only for a trace that builds all of it again."""
    return ServiceFailure(
        ErrorCode.INVALID_PARAMS,
        f"clean={clean!r} needs a trace of the whole project, of mode clean",
        details={"path": "clean", "expected": "none for this trace", "operation": _OPERATION},
    )


def stale_trace(object_id: str, revision: int | None, current: int | None) -> ServiceFailure:
    """The design has moved on since the trace was planned."""
    return ServiceFailure(
        ErrorCode.STALE_REVISION,
        f"{object_id} has been changed since this trace was planned",
        fix="plan again",
        details={"node_id": object_id, "revision": revision, "current": current, "operation": _OPERATION},
    )


def incomplete_files(paths: Sequence[str]) -> ServiceFailure:
    """Geometry that the trace names is not there any more."""
    return ServiceFailure(
        ErrorCode.TRACE_INCOMPLETE,
        f"the trace names geometry that is not there: {', '.join(paths[:5])}",
        fix="plan again",
        details={"paths": list(paths), "operation": _OPERATION},
    )


def approval_required(removing: Sequence[Operation]) -> ServiceFailure:
    """Copies and placements of a person would go."""
    return ServiceFailure(
        ErrorCode.APPROVAL_REQUIRED,
        f"a full clean takes {len(removing)} things out of SketchUp, a person's copies of our parts too",
        fix="look at the list and say yes, or use clean='managed', which leaves a person's own alone",
        details={"removing": [operation.to_json() for operation in removing], "operation": _OPERATION},
    )


def unblocked(error: VcadError) -> VcadError:
    """A failure to look at the scene, reported as what blocks SketchUp where it is that; else as it came."""
    if error.error_code not in _BLOCKED:
        return error
    hint = error.fix or "open a model in SketchUp, close its dialogs, and push again"
    return ServiceFailure(
        ErrorCode.HOST_BLOCKED,
        f"SketchUp cannot take a push now: {error.message}",
        fix=hint,
        details={"reason": str(error.error_code), "hint": hint, "operation": _OPERATION},
    )
