"""What the workflow of a session looks like from outside: what runs, what waits, which traces there are.

Nothing here waits for the session: a front end asks while a cell runs. What this process does not have, such
as an agent of the notebook's own, is said to be absent and never made up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from vcad_kernel.errors import VcadError

if TYPE_CHECKING:
    from notebook_ext.agents.world import AgentWorld, CallUnderWay
    from notebook_ext.approval.asks import Ask
    from notebook_ext.session.events import SessionEvent
    from notebook_ext.sketchup.trace_files import TraceFiles

__all__ = ["Workflow", "WorkflowStatus"]

WorkflowStatus: TypeAlias = Literal["idle", "planning", "executing", "done"]

_PLANNING: Final = frozenset({"plan_trace", "project_validate"})
_TRACES: Final = 50
"""Traces that are listed, the newest."""


class Workflow:
    """The workflow of one session."""

    def __init__(self, world: AgentWorld) -> None:
        self._world = world
        self._has_pushed = False

    def note(self, event: SessionEvent) -> None:
        """Something has happened in the session."""
        self._has_pushed = event.kind == "pushed"

    def state(self) -> dict[str, Any]:
        """As ``GET /api/gui/state`` answers."""
        running = self._world.under_way()
        tools = tuple(one.tool for one in running)
        active = _active_trace(running)
        asks = self._world.approvals.open_asks()
        step_mode = self._world.approvals.policy.step_mode
        traces, proposed = self._traces()
        return {
            "status": self._status(tools),
            "agent_status": f"running {', '.join(tools)}" if tools else "idle",
            "active_tier": None,
            "active_trace": active,
            "active_operations": self._operations(active),
            "step_mode": step_mode,
            **_pending(asks, step_mode=step_mode),
            "traces": traces,
            "proposed_traces": proposed,
            "streams": {one.request_id: one.said for one in running},
        }

    def diagnostics(self) -> dict[str, bool]:
        """As ``GET /api/gui/diagnostics`` answers; no agent of the notebook's own, no past session."""
        return {"thinking": False, "live": bool(self._world.under_way()), "prior": False}

    def _status(self, running: tuple[str, ...]) -> WorkflowStatus:
        if running and _PLANNING.issuperset(running):
            return "planning"
        if running or self._world.session.busy:
            return "executing"
        return "done" if self._has_pushed else "idle"

    def _traces(self) -> tuple[list[str], list[str]]:
        """The ids of the newest traces, and of those among them that nobody has executed."""
        names = self._files.names(_TRACES)
        return list(names), [one for one in names if not self._files.has_result(one)]

    def _operations(self, trace_id: str | None) -> list[str]:
        """The ids of a trace's operations; none of one that is not, or not any more."""
        if trace_id is None:
            return []
        try:
            return [one.operation_id for one in self._files.load(trace_id).operations]
        except VcadError:
            return []

    @property
    def _files(self) -> TraceFiles:
        from notebook_ext.sketchup.trace_files import TraceFiles

        return TraceFiles(self._world.workspace)


def _active_trace(running: tuple[CallUnderWay, ...]) -> str | None:
    """The trace that is carried out now, by whoever; None where none is."""
    for one in running:
        trace_id = one.arguments.get("trace_id")
        if one.tool == "trace_execute" and isinstance(trace_id, str):
            return trace_id
    return None


def _pending(asks: tuple[Ask, ...], *, step_mode: bool) -> Mapping[str, bool]:
    """Which kinds of asks wait for an answer."""
    questions = [ask.question for ask in asks]
    tools = [one for one in questions if one.kind == "approval"]
    return {
        "pending_tool_approval": bool(tools),
        "pending_step_approval": step_mode and any(one.risk == "W" for one in tools),
        "pending_spawn_approval": any(one.kind == "spawn" for one in questions),
        "pending_approval": bool(asks),
    }
