"""The events that the hook API hands out: a queue of the newest thousand, each with its number.

    queue.push("pushed", {"node_id": None})    # from any thread; gives the event's number
    queue.drain()                              # all that wait, and they are gone
    queue.after(17)                            # all younger than 17; they stay

A client that drains has the events for itself; several clients read with ``after``.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, Final

__all__ = ["KEPT", "EventQueue"]

KEPT: Final = 1000
"""Events; an older one gives way to a new one."""


class EventQueue:
    """Safe on any thread. clock: seconds since 1970."""

    def __init__(self, *, kept: int = KEPT, clock: Callable[[], float] = time.time) -> None:
        self._waiting: deque[dict[str, Any]] = deque(maxlen=kept)
        self._clock = clock
        self._changing = Lock()
        self._seq = 0

    @property
    def seq(self) -> int:
        """The number of the newest event; 0 before the first."""
        return self._seq

    def push(self, event_type: str, payload: Mapping[str, Any]) -> int:
        """Add an event. Returns: its number, one more than that of the event before."""
        with self._changing:
            self._seq += 1
            self._waiting.append(
                {"seq": self._seq, "type": event_type, "payload": dict(payload), "timestamp": self._clock()}
            )
            return self._seq

    def drain(self) -> list[dict[str, Any]]:
        """Take all that wait, the oldest first."""
        with self._changing:
            taken = list(self._waiting)
            self._waiting.clear()
            return taken

    def after(self, seq: int) -> list[dict[str, Any]]:
        """Those that wait with a greater number, the oldest first; nothing is taken."""
        with self._changing:
            return [event for event in self._waiting if event["seq"] > seq]
