"""Traces: what is to be done in SketchUp for the project as it stands, planned, tried out and carried out.

Planning needs no SketchUp. Nothing is ever left out in silence: a trace that lacks something is refused until
the very list of what it lacks is given back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from notebook_ext.agents.calls.arguments import Answer, Arguments
from notebook_ext.agents.calls.call import Call, Preview, Risk, Tool

if TYPE_CHECKING:
    from notebook_ext.session.linked.linked_parts import LinkedParts
    from notebook_ext.sketchup.trace import Trace
    from notebook_ext.sketchup.trace_result import TraceResult

__all__ = ["tools"]

_PACK: Final = "project"

_REMOVING: Final = frozenset({"remove_instance", "remove_definition"})
"""Types of operations that take something out of the scene."""
_IN_SKETCHUP: Final = "Each step can be undone in SketchUp (Ctrl+Z)."

Clean = Literal["none", "managed", "full"]
Mode = Literal["incremental", "clean"]


class _Plan(Arguments):
    scope: tuple[str, ...] | None = Field(None, description="ids of components and instances; else all")
    mode: Mode = "incremental"


class _Planned(Answer):
    trace_id: str
    operations: list[dict[str, Any]]
    omitted: list[dict[str, str]]
    warnings: list[str]
    complete: bool


class _TraceId(Arguments):
    trace_id: str


class _Trace(Answer):
    trace: dict[str, Any]
    status: str
    operations: list[dict[str, Any]]
    result: dict[str, Any] | None


class _List(Arguments):
    limit: int = Field(20, ge=1, le=200)


class _Traces(Answer):
    traces: list[dict[str, Any]]


class _Execute(_TraceId):
    allow_partial: bool = False
    accept_omitted: list[dict[str, Any]] | None = Field(None, description="the omitted list, word for word")
    clean: Clean = "none"
    rollback_all: bool = False
    expected_revision: int | None = Field(None, ge=0, description="of the project")


class _Smoke(_TraceId):
    allow_partial: bool = False


class _Replay(Arguments):
    clean: Clean = "managed"
    expected_revision: int | None = Field(None, ge=0, description="of the project")


class _Done(Answer):
    model_config = ConfigDict(extra="ignore")
    trace_id: str
    status: str
    executed: list[dict[str, Any]]
    removed: list[str]
    failed_operation: dict[str, Any] | None
    rollback: dict[str, Any]
    model_revision: int | None
    contamination: dict[str, Any] | None


class _Scene(Answer):
    contaminated: bool
    stale: list[dict[str, Any]]
    foreign: list[dict[str, Any]]
    missing: list[dict[str, Any]]


class _None(Arguments):
    pass


def tools() -> tuple[Tool, ...]:
    """The tools of this module, all of pack project."""
    return (
        _tool(
            "plan_trace",
            "R",
            "See what a push would do in SketchUp, and what it would leave out; SketchUp need not run.",
            _Plan,
            _Planned,
            _plan,
        ),
        _tool("trace_get", "R", "Look at a trace again, and at what came of it.", _TraceId, _Trace, _trace),
        _tool("trace_list", "R", "Find the traces of this project, the newest first.", _List, _Traces, _list),
        _tool(
            "trace_execute",
            "W",
            "Carry a planned trace out in SketchUp: one undo step each, stopped at the first failure.",
            _Execute,
            _Done,
            _execute,
            affects=_executing,
        ),
        _tool(
            "trace_smoke",
            "R",
            "Try a trace out in a SketchUp without a window: the same result, and nothing is changed.",
            _Smoke,
            _Done,
            _smoke,
        ),
        _tool(
            "trace_replay",
            "D",
            "Build everything in SketchUp anew from the project, when the scene is beyond mending.",
            _Replay,
            _Done,
            _replay,
            affects=_replaying,
        ),
        _tool(
            "scene_check",
            "R",
            "Compare SketchUp's scene with the project: what is stale, foreign or missing.",
            _None,
            _Scene,
            _check,
        ),
    )


def _tool(
    name: str,
    risk: Risk,
    description: str,
    arguments: type[Arguments],
    result: type[BaseModel],
    run: Callable[[Any, Call], Any],
    *,
    affects: Callable[[Any, Call], Preview] | None = None,
) -> Tool:
    return Tool(name, _PACK, risk, risk == "R", description, arguments, result, run, affects)


def _plan(arguments: _Plan, call: Call) -> _Planned:
    from notebook_ext.session.linked.traces import planned

    trace = call.session.on_project(lambda linked: planned(linked, arguments.scope, arguments.mode))
    call.session.log.event("trace_planned", trace_id=trace.trace_id, agent=call.agent)
    return _Planned(
        trace_id=trace.trace_id,
        operations=[operation.to_json() for operation in trace.operations],
        omitted=[omission.to_json() for omission in trace.omitted],
        warnings=list(trace.warnings),
        complete=trace.complete,
    )


def _trace(arguments: _TraceId, call: Call) -> _Trace:
    from notebook_ext.session.linked.traces import kept

    trace, result = call.session.on_project(
        lambda linked: kept(linked, arguments.trace_id, operation="trace_get")
    )
    return _Trace(
        trace=trace.to_json(),
        status=_status(result),
        operations=_statuses(trace, result),
        result=None if result is None else dict(result),
    )


def _list(arguments: _List, call: Call) -> _Traces:
    from notebook_ext.session.linked.traces import listed

    traces = call.session.on_project(lambda linked: listed(linked, arguments.limit, operation="trace_list"))
    return _Traces(
        traces=[
            {
                "trace_id": trace.trace_id,
                "mode": trace.mode,
                "scope": None if trace.scope is None else list(trace.scope),
                "operations": len(trace.operations),
                "complete": trace.complete,
                "status": _status(result),
            }
            for trace, result in traces
        ]
    )


def _status(result: Mapping[str, Any] | None) -> str:
    return "planned" if result is None else str(result.get("status"))


def _statuses(trace: Trace, result: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """What has come of each operation: planned, done, failed, taken back or not reached."""
    recorded = {} if result is None else result
    done = {executed["operation_id"] for executed in recorded.get("executed", ())}
    failed = (recorded.get("failed_operation") or {}).get("operation_id")
    rollback = recorded.get("rollback") or {}
    if rollback.get("status") in ("complete", "partial"):
        back = done - set(rollback.get("remaining", ()))
    else:
        back = set()
    rows = []
    for operation in trace.operations:
        name = operation.operation_id
        if result is None:
            status = "planned"
        elif name == failed:
            status = "failed"
        elif name in back:
            status = "taken_back"
        else:
            status = "done" if name in done else "not_reached"
        rows.append(
            {"operation_id": name, "type": operation.type, "target": operation.target, "status": status}
        )
    return rows


def _execute(arguments: _Execute, call: Call) -> _Done:
    from notebook_ext.session.linked.traces import kept

    def work(linked: LinkedParts) -> TraceResult:
        _require_revision(linked, arguments.expected_revision, "trace_execute")
        trace, _ = kept(linked, arguments.trace_id, operation="trace_execute")
        return linked.execute(
            trace,
            allow_partial=arguments.allow_partial,
            accept_omitted=arguments.accept_omitted,
            clean=arguments.clean,
            rollback_all=arguments.rollback_all,
            # a person has been asked, with this very list, before the tool was run
            approve=lambda _: True,
        )

    return _Done.model_validate(call.session.on_project(work).to_json())


def _replay(arguments: _Replay, call: Call) -> _Done:
    def work(linked: LinkedParts) -> TraceResult:
        _require_revision(linked, arguments.expected_revision, "trace_replay")
        return linked.replay(arguments.clean, approve=lambda _: True)

    return _Done.model_validate(call.session.on_project(work).to_json())


def _smoke(arguments: _Smoke, call: Call) -> _Done:
    from notebook_ext.session.linked.traces import tried

    result = call.session.on_project(
        lambda linked: tried(linked, arguments.trace_id, allow_partial=arguments.allow_partial)
    )
    return _Done.model_validate(result.to_json())


def _executing(arguments: _Execute, call: Call) -> Preview:
    """What would be done; for a clean execution also what would go first. No question is put about
    half a trace that has not been accepted as one."""
    from notebook_ext.session.linked.traces import kept
    from notebook_ext.sketchup.push.push import require_whole

    def work(linked: LinkedParts) -> Trace:
        trace, _ = kept(linked, arguments.trace_id, operation="trace_execute")
        require_whole(trace, linked.standing(), arguments.allow_partial, arguments.accept_omitted)
        return trace

    trace = call.session.on_project(work)
    left = [f"left out: {omission.object_id}, {omission.reason}" for omission in trace.omitted]
    going = _going(arguments.clean, call)
    removed = [operation.target for operation in trace.operations if operation.type in _REMOVING]
    return Preview(
        objects=going,
        summary="\n".join(["Carries out in SketchUp:", trace.summary(), *left]),
        takes_away=(
            *_cleaned(arguments.clean, going),
            *(f"{target} in SketchUp" for target in removed),
            *left,
        ),
        undo=_IN_SKETCHUP,
    )


def _replaying(arguments: _Replay, call: Call) -> Preview:
    going = _going(arguments.clean, call)
    return Preview(
        objects=going,
        summary="Builds everything in SketchUp anew from the project.",
        takes_away=_cleaned(arguments.clean, going),
        undo=_IN_SKETCHUP,
    )


def _going(clean: Clean, call: Call) -> tuple[str, ...]:
    """What a clean execution takes out of the scene first."""
    from notebook_ext.session.linked.traces import emptied

    operations = call.session.on_project(lambda linked: emptied(linked, clean))
    return tuple(f"{operation.type} {operation.target}" for operation in operations)


def _cleaned(clean: Clean, going: tuple[str, ...]) -> tuple[str, ...]:
    """What a clean execution takes away: it may find more than is known now."""
    return going or (() if clean == "none" else ("what the project has in SketchUp",))


def _check(_: _None, call: Call) -> _Scene:
    from notebook_ext.session.linked.traces import checked_scene

    return _Scene.model_validate(call.session.on_project(checked_scene).to_json())


def _require_revision(linked: LinkedParts, expected: int | None, operation: str) -> None:
    """Let pass what was decided on the project as it is. Raises: ServiceFailure REVISION_CONFLICT."""
    from notebook_ext.session.project.design_change import require_revision

    if expected is not None:
        require_revision(linked.standing(), expected, operation)
