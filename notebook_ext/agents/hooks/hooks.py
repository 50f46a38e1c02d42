"""The hook API of one session: what it keeps between requests, and hears of the session and of asks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from notebook_ext.agents.hooks.activity import Activity, event_payload
from notebook_ext.agents.hooks.events import EventQueue
from notebook_ext.agents.hooks.tasks import Tasks
from notebook_ext.agents.hooks.turns import PATIENCE
from notebook_ext.agents.hooks.workflow import Workflow

if TYPE_CHECKING:
    from notebook_ext.agents.world import AgentWorld
    from notebook_ext.approval.asks import Ask, AskEvent
    from notebook_ext.session.events import SessionEvent

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
        world.approvals.on_change(self._asked)
        world.on_call(self._called)

    def _changed(self, event: SessionEvent) -> None:
        payload = event_payload(event)
        self.events.push(event.kind, payload)
        self.activity.note(event.kind, payload)
        self.workflow.note(event)

    def _called(self, record: Mapping[str, Any]) -> None:
        self.events.push("tool_called", record)
        self.activity.note("tool_called", record)

    def _asked(self, event: AskEvent, ask: Ask) -> None:
        about = {"request_id": ask.request_id, "kind": ask.question.kind, "summary": ask.question.summary}
        self.events.push(event, about)
        self.activity.note(event, about)
