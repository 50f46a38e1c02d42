"""What a session tells those who listen: what happened to which node, under which wish.

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

Kind: TypeAlias = Literal["evaluated", "failed", "placed", "removed", "pushed", "forgotten"]


@dataclass(frozen=True, slots=True)
class SessionEvent:
    """One change of a session."""

    kind: Kind
    node_id: str | None
    """The named part; None for what concerns many."""
    revision: int | None = None
    request_id: str | None = None
    """The wish that led to it."""


Listener: TypeAlias = Callable[[SessionEvent], object]


class Listeners:
    """Those who listen to one session."""

    def __init__(self) -> None:
        self._listeners: dict[object, Listener] = {}
        self._untold: deque[SessionEvent] = deque()
        self._telling = False

    def add(self, listener: Listener) -> Callable[[], None]:
        """Have it told of every event from now on; what this gives ends that. Safe on any thread."""
        key = object()
        self._listeners[key] = listener

        def remove() -> None:
            self._listeners.pop(key, None)

        return remove

    def tell(self, kind: Kind, node_id: str | None, revision: int | None = None) -> None:
        """Tell all of them; what comes of a verb that one of them calls is told after that."""
        self._untold.append(SessionEvent(kind, node_id, revision, current_request()))
        if self._telling:
            return
        self._telling = True
        try:
            while self._untold:
                self._tell_all(self._untold.popleft())
        finally:
            self._telling = False

    def _tell_all(self, event: SessionEvent) -> None:
        for listener in list(self._listeners.values()):
            try:
                listener(event)
            except Exception:  # noqa: BLE001 - somebody else's mistake must not stop the session
                _log.exception("a listener failed at %s", event)
