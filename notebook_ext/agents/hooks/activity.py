"""What has happened in a session, as entries that a front end lists beside the conversation.

Changes of the session add entries by themselves; a program may put others in their place. Entries are plain
JSON objects; ours have ``kind``, ``timestamp``, ``event``, ``node_id``, ``revision`` and ``request_id``.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from notebook_ext.session.events import SessionEvent

__all__ = ["KEPT", "Activity", "event_payload"]

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
            self._entries = deque((dict(one) for one in entries), maxlen=KEPT)

    def entries(self) -> list[dict[str, Any]]:
        """All of them, the oldest first."""
        with self._changing:
            return [dict(one) for one in self._entries]
