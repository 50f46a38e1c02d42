"""What one session offers to agents: its tools, its files, a person who can say no, and what is written down.

Made with the gateway, or by a script; nothing is opened or imported before the first call wants it. How a
tool is called is in `calling.py`.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from notebook_ext.session.events import SessionEvent
from notebook_ext.session.node_names import node_id_of
from vcad_kernel.request_id import new_request_id

if TYPE_CHECKING:
    from notebook_ext.agents.journal import Journal
    from notebook_ext.approval.approvals import Approvals
    from notebook_ext.display.part import Part
    from notebook_ext.session.session import Session
    from notebook_ext.workspace.files.gate import FileGate

__all__ = ["AgentWorld", "CallUnderWay", "Listener"]


@dataclass(frozen=True, slots=True)
class ToolCount:
    """The calls of one tool that ended alike."""

    tool: str
    outcome: str
    """``ok`` or the error code."""
    calls: int
    seconds: float
    """Of all these calls together."""


class Tally:
    """Counts from any thread."""

    def __init__(self) -> None:
        self._counting = threading.Lock()
        self._calls: Counter[tuple[str, str]] = Counter()
        self._seconds: Counter[tuple[str, str]] = Counter()

    def add(self, tool: str, error_code: str | None, seconds: float) -> None:
        """Count one call that has ended. error_code: None for a success."""
        with self._counting:
            self._calls[tool, error_code or "ok"] += 1
            self._seconds[tool, error_code or "ok"] += seconds  # type: ignore[assignment]

    def counts(self) -> tuple[ToolCount, ...]:
        """What has been counted, by tool and outcome."""
        with self._counting:
            return tuple(
                ToolCount(tool, outcome, calls, self._seconds[tool, outcome])
                for (tool, outcome), calls in sorted(self._calls.items())
            )


Listener: TypeAlias = Callable[[Mapping[str, Any]], object]
"""Called with ``{tool, agent, request_id, node_id, success, error_code, elapsed_ms, approval}``.

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
    progress: str = ""
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
        self.revisions = KeptRevisions(session)
        """What the parts were, to compare with."""
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

    @contextmanager
    def listed(self, call: CallUnderWay) -> Iterator[None]:
        """Have a call be among those that are under way, while it is."""
        self._running[call.request_id] = call
        try:
            yield
        finally:
            self._running.pop(call.request_id, None)

    def under_way(self) -> tuple[CallUnderWay, ...]:
        """The calls that are being done now, the oldest first."""
        return tuple(self._running.copy().values())

    def note_progress(self, request_id: str, message: str) -> None:
        """Keep what a call says of itself while it is under way."""
        running = self._running.get(request_id)
        if running is not None:
            running.progress = message

    @cached_property
    def files(self) -> FileGate:
        """The only way to a file."""
        from notebook_ext.workspace.files.gate import FileGate

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

    def close(self) -> None:
        """Write what waits; the session lives on."""
        if "journal" in self.__dict__:
            self.journal.close()

    def on_call(self, listener: Listener) -> Callable[[], None]:
        """Subscribe a function to each call, on the call's thread. Returns: what ends that."""
        key = object()
        self._listeners[key] = listener

        def stop() -> None:
            self._listeners.pop(key, None)

        return stop

    def report(self, called: Mapping[str, Any]) -> None:
        """Notify the subscribers of a call that has ended."""
        for listener in list(self._listeners.values()):
            try:
                listener(called)
            except Exception as bug:  # noqa: BLE001 - what the call has done is done, and its agent is to know
                self.session.log.event("listener_failed", level="error", error=repr(bug))


# ---- what the parts of a session were: the last few revisions of each, to compare with -------
# A part is not the only holder of its mesh: an old one is asked for again when it is looked at.


_MOST: Final = 8
"""Of one part; a slider makes one with each move."""


class KeptRevisions:
    """Those of a session's parts, from now on."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._kept: dict[str, dict[int, Part]] = {}
        session.subscribe(self._note)

    def of(self, node_id: str) -> dict[int, Part]:
        """Revision → the part as it was, the newest last; on any thread."""
        return dict(self._kept.get(node_id, {}))

    def _note(self, event: SessionEvent) -> None:
        """On the session's thread."""
        if event.node_id is None:
            return
        node_id = node_id_of(event.node_id)
        if event.kind == "forgotten":
            self._kept.pop(node_id, None)
        elif event.kind == "evaluated" and event.revision is not None:
            kept = self._kept.get(node_id, {}) | {event.revision: self._session[event.node_id]}
            self._kept[node_id] = {revision: kept[revision] for revision in sorted(kept)[-_MOST:]}
