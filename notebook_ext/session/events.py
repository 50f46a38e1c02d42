"""What a session sends its listeners: what happened to which node, under which request.

    stop = session.subscribe(print)

Listeners are called on the session's thread, in the order of the events, after the change; they may call the
session's verbs. One that raises is reported to the log and called again for the next event all the same.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from vcad_kernel.request_id import current_request

__all__ = ["Kind", "Listener", "Listeners", "SessionEvent"]

_log = logging.getLogger("vcad.session.events")

Kind: TypeAlias = Literal[
    "evaluated",
    "failed",
    "placed",
    "removed",
    "pushed",
    "forgotten",
    "picked",
    "marked",
    "measured",
    "seen",
]
"""``marked``: which parts are out of date, or why, is another by now; ``measured``: figures were found that
nobody had asked for before; ``seen``: which parts viewers show."""


@dataclass(frozen=True, slots=True)
class SessionEvent:
    """One change of a session."""

    kind: Kind
    node_id: str | None
    """The named part; None for what concerns many."""
    revision: int | None = None
    request_id: str | None = None
    """The request that led to it."""


Listener: TypeAlias = Callable[[SessionEvent], object]


class Listeners:
    """The listeners of one session."""

    def __init__(self) -> None:
        self._listeners: dict[object, Listener] = {}
        self._pending: deque[SessionEvent] = deque()
        self._notifying = False

    def add(self, listener: Listener) -> Callable[[], None]:
        """Have it called with every event from now on; what this gives ends that. Safe on any thread."""
        key = object()
        self._listeners[key] = listener

        def remove() -> None:
            self._listeners.pop(key, None)

        return remove

    def notify(self, kind: Kind, node_id: str | None, revision: int | None = None) -> None:
        """Call all of them; what comes of a verb that one of them calls follows after that."""
        self._pending.append(SessionEvent(kind, node_id, revision, current_request()))
        if self._notifying:
            return
        self._notifying = True
        try:
            while self._pending:
                event = self._pending.popleft()
                for listener in list(self._listeners.values()):
                    try:
                        listener(event)
                    except Exception:  # noqa: BLE001 - a listener's mistake must not stop the session
                        _log.exception("a listener failed at %s", event)
        finally:
            self._notifying = False
