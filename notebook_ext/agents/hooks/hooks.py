"""The hook API of one session: what it keeps between requests, and what it learns of the session and of asks.

Activity entries are plain JSON objects; ours have ``kind``, ``timestamp``, ``event``, ``node_id``,
``revision`` and ``request_id``. The workflow is read without waiting for the session: a front end asks while
a cell runs. What this process does not have, such as an agent of the notebook's own, is said to be absent and
never made up.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from notebook_ext.agents.hooks.events import EventQueue
from notebook_ext.agents.hooks.tasks import Tasks
from notebook_ext.agents.hooks.turns import PATIENCE
from vcad_kernel.errors import VcadError

if TYPE_CHECKING:
    from notebook_ext.agents.world import AgentWorld, CallUnderWay
    from notebook_ext.approval.asks import Ask, AskEvent
    from notebook_ext.session.events import SessionEvent
    from notebook_ext.sketchup.trace_files import TraceFiles

__all__ = ["Hooks"]


class Hooks:
    """world: of the session. patience: seconds that a request waits for the session's thread."""

    def __init__(self, world: AgentWorld, *, patience: float = PATIENCE) -> None:
        self.world = world
        self.patience = patience
        self.events = EventQueue()
        self.activity = Activity()
        self.workflow = Workflow(world)
        self.tools_found: set[str] = set()
        """Names of tools that have been called."""
        self.tasks = Tasks(world, self.events, patience=patience)
        world.session.subscribe(self._changed)
        world.approvals.on_change(self._note_ask)
        world.on_call(self._called)

    def _changed(self, event: SessionEvent) -> None:
        payload = event_payload(event)
        self.events.push(event.kind, payload)
        self.activity.note(event.kind, payload)
        self.workflow.note(event)

    def _called(self, record: Mapping[str, Any]) -> None:
        self.events.push("tool_called", record)
        self.activity.note("tool_called", record)

    def _note_ask(self, event: AskEvent, ask: Ask) -> None:
        about = {"request_id": ask.request_id, "kind": ask.question.kind, "summary": ask.question.summary}
        self.events.push(event, about)
        self.activity.note(event, about)


KEPT: Final = 1000
"""Entries; an older one gives way to a new one."""


def event_payload(event: SessionEvent) -> dict[str, Any]:
    """A change of the session as plain JSON."""
    return {"node_id": event.node_id, "revision": event.revision, "request_id": event.request_id}


class Activity:
    """The entries of one session; safe on any thread. clock: seconds since 1970."""

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._changing = Lock()
        self._entries: deque[dict[str, Any]] = deque(maxlen=KEPT)

    def note(self, event: str, payload: Mapping[str, Any]) -> None:
        """Something has happened. Of blocks ``files_updated`` only the newest is kept."""
        with self._changing:
            if "files_updated" in payload:
                for entry in self._entries:
                    entry.pop("files_updated", None)
            self._entries.append({"kind": "activity", "timestamp": self._clock(), "event": event, **payload})

    def replace(self, entries: Sequence[Mapping[str, Any]]) -> None:
        """Have these entries and no others; of more than are kept, the last."""
        with self._changing:
            self._entries = deque((dict(entry) for entry in entries), maxlen=KEPT)

    def entries(self) -> list[dict[str, Any]]:
        """All of them, the oldest first."""
        with self._changing:
            return [dict(entry) for entry in self._entries]


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
        tools = tuple(call.tool for call in running)
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
            "streams": {call.request_id: call.progress for call in running},
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
        """The ids of the newest traces, and of those among them that have not been executed."""
        names = self._files.names(_TRACES)
        return list(names), [name for name in names if not self._files.has_result(name)]

    def _operations(self, trace_id: str | None) -> list[str]:
        """The ids of a trace's operations; none of one that is not, or not any more."""
        if trace_id is None:
            return []
        try:
            return [operation.operation_id for operation in self._files.load(trace_id).operations]
        except VcadError:
            return []

    @property
    def _files(self) -> TraceFiles:
        from notebook_ext.sketchup.trace_files import TraceFiles

        return TraceFiles(self._world.workspace)


def _active_trace(running: tuple[CallUnderWay, ...]) -> str | None:
    """The trace that is carried out now, by any agent; None where none is."""
    for call in running:
        trace_id = call.arguments.get("trace_id")
        if call.tool == "trace_execute" and isinstance(trace_id, str):
            return trace_id
    return None


def _pending(asks: tuple[Ask, ...], *, step_mode: bool) -> Mapping[str, bool]:
    """Which kinds of asks wait for an answer."""
    questions = [ask.question for ask in asks]
    approvals = [question for question in questions if question.kind == "approval"]
    return {
        "pending_tool_approval": bool(approvals),
        "pending_step_approval": step_mode and any(question.risk == "W" for question in approvals),
        "pending_spawn_approval": any(question.kind == "spawn" for question in questions),
        "pending_approval": bool(asks),
    }
