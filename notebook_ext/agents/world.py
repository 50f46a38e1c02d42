"""What one session offers to agents: its tools, its files, a person who can say no, and what is written down.

Made with the gateway, or by a script; nothing is opened or imported before the first call wants it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from notebook_ext.agents.calling import Call, Progress, dispatch
from notebook_ext.agents.outcomes import Outcome
from notebook_ext.agents.registry import find
from notebook_ext.agents.tally import Tally
from vcad_kernel.errors import VcadError
from vcad_kernel.plain_text import plain
from vcad_kernel.request_id import new_request_id

if TYPE_CHECKING:
    from notebook_ext.agents.approval.approvals import Approvals
    from notebook_ext.agents.journal import Journal
    from notebook_ext.session.session import Session
    from notebook_ext.workspace.gate import FileGate

__all__ = ["AgentWorld", "CallUnderWay", "Listener"]

Listener: TypeAlias = Callable[[Mapping[str, Any]], object]
"""Told ``{tool, agent, request_id, node_id, success, error_code, elapsed_ms, approval}``.

``files_updated`` as well, where the call's answer has it.
"""


@dataclass(slots=True)
class CallUnderWay:
    """A call while it is being done."""

    request_id: str
    tool: str
    agent: str
    arguments: Mapping[str, Any]
    """As they were given."""
    said: str = ""
    """What it has last said of how far it is."""


class AgentWorld:
    """session: which the person works in. attached: whether a notebook's kernel holds it.

    session_id: as in the session's record. url: the gateway's, once there is one.
    """

    def __init__(
        self,
        session: Session,
        *,
        session_id: str = "",
        attached: bool = True,
        url: Callable[[], str] = lambda: "",
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.session = session
        self.session_id = session_id or f"s-{new_request_id().removeprefix('r-')}"
        self.attached = attached
        self.started_at = clock()
        self.tally = Tally()
        """Calls, failures and seconds by tool."""
        self._url = url
        self._listeners: dict[object, Listener] = {}
        self._running: dict[str, CallUnderWay] = {}
        """By request id."""
        self._began = time.monotonic()

    @property
    def url(self) -> str:
        """Where the gateway listens; "" without one."""
        return self._url()

    @property
    def uptime_s(self) -> float:
        """Seconds since it was made."""
        return time.monotonic() - self._began

    @property
    def workspace(self) -> Path:
        """The project's folder, by its real path."""
        return self.session.workspace

    @property
    def model_revision(self) -> int:
        """The revision of the project's file; 0 where there is none, and none is made."""
        return self.session.standing.revision

    def under_way(self) -> tuple[CallUnderWay, ...]:
        """The calls that are being done now, the oldest first."""
        return tuple(self._running.copy().values())

    def hear(self, request_id: str, message: str) -> None:
        """Keep what a call says of itself while it is under way."""
        running = self._running.get(request_id)
        if running is not None:
            running.said = message

    @cached_property
    def files(self) -> FileGate:
        """The only way to a file."""
        from notebook_ext.workspace.gate import FileGate

        return FileGate(self.workspace)

    @property
    def approvals(self) -> Approvals:
        """The person's yes and no."""
        return self.session.approvals()

    @cached_property
    def journal(self) -> Journal:
        """The session's log of calls."""
        from notebook_ext.agents.journal import Journal

        return Journal(self.session.log)

    def call(
        self,
        name: str,
        raw: Mapping[str, Any],
        *,
        agent: str,
        request_id: str | None = None,
        progress: Progress | None = None,
        cancelled: threading.Event | None = None,
    ) -> Outcome:
        """Call a tool, and wait for what comes of it; on any thread but the session's.

        request_id: as a program chose it; by default a new one. cancelled: set to give the call up.
        """
        given_up = cancelled or threading.Event()
        call = Call(self, agent, request_id or new_request_id(), progress, given_up, name)
        self._running[call.request_id] = CallUnderWay(call.request_id, name, agent, raw)
        try:
            return dispatch(name, raw, call)
        finally:
            self._running.pop(call.request_id, None)

    def close(self) -> None:
        """Write what waits; the session lives on."""
        if "journal" in self.__dict__:
            self.journal.close()

    def on_call(self, listener: Listener) -> Callable[[], None]:
        """Have a function told of each call, on the call's thread; what this gives ends that."""
        key = object()
        self._listeners[key] = listener

        def stop() -> None:
            self._listeners.pop(key, None)

        return stop

    def note(
        self,
        name: str,
        arguments: Mapping[str, Any],
        outcome: Outcome,
        call: Call,
        *,
        seconds: float,
        approval: str,
    ) -> None:
        """Write down what was called and what came of it, and let the person see who did it."""
        failed = outcome.body.get("error_code")
        record = {
            "tool": name,
            "agent": call.agent,
            "node_id": arguments.get("node_id"),
            "error_code": failed,
            "elapsed_ms": round(seconds * 1000, 1),
        }
        self.session.note("tool_called", _line(name, arguments, outcome, call.agent), **record)
        self.tally.add(name, failed, seconds)
        told = {**record, "request_id": call.request_id, "success": outcome.success, "approval": approval}
        if "files_updated" in outcome.body:
            told["files_updated"] = outcome.body["files_updated"]
        for listener in list(self._listeners.values()):
            try:
                listener(told)
            except Exception as bug:  # noqa: BLE001 - what the call has done is done, and its agent is to hear so
                self.session.log.event("listener_failed", level="error", error=repr(bug))
        self.journal.called(
            name,
            arguments,
            outcome,
            agent=call.agent,
            request_id=call.request_id,
            seconds=seconds,
            approval=approval,
        )


_LONGEST_NAME: Final = 80
"""Characters of what a call was about, in the line that a person reads."""


def _line(name: str, arguments: Mapping[str, Any], outcome: Outcome, agent: str) -> str:
    """What a person is told of a call; "" for one that only read."""
    try:
        if find(name).risk == "R":
            return ""
    except VcadError:
        return ""
    several = arguments.get("node_ids")
    on = arguments.get("node_id") or arguments.get("path") or arguments.get("source") or ""
    if isinstance(several, list) and several:
        on = ", ".join(str(one) for one in several)
    on = str(on).partition("\n")[0][:_LONGEST_NAME]
    revision = outcome.body.get("revision")
    came = outcome.body.get("error_code") or ("" if revision is None else f"revision {revision}")
    line = f"{agent}: {name}" + (f" {on}" if on else "") + (f" → {came}" if came else "")
    return plain(line, stays="")
