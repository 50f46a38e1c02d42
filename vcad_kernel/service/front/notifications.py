"""What a client hears of its evaluation before the answer: how far it is, and what it prints.

Only capabilities that the client has negotiated; only as much as it reads.
"""

from __future__ import annotations

from vcad_kernel.service.front.connection import Connection
from vcad_kernel.service.front.framing import notification

__all__ = ["Notifier"]


class Notifier:
    """The `Listener` of one call."""

    def __init__(self, connection: Connection, request_id: str, *, progress: bool, output: bool) -> None:
        self._connection = connection
        self._request_id = request_id
        self._progress = progress
        self._output = output
        self._printed = 0

    def progress(self, phase: str, queue_place: int | None, done: int, total: int, elapsed_ms: float) -> None:
        """``vcad.progress``; total null where nobody knows."""
        if self._progress:
            params = {
                "request_id": self._request_id,
                "phase": phase,
                "queue_place": queue_place,
                "done": done,
                "total": total or None,
                "elapsed_ms": round(elapsed_ms, 1),
            }
            self._connection.post(notification("vcad.progress", params))

    def printed(self, text: str) -> None:
        """``vcad.output``; after a piece that was lost no more comes, and the result has it all."""
        if self._output and text:
            params = {"request_id": self._request_id, "offset": self._printed, "text": text}
            self._output = self._connection.post(notification("vcad.output", params))
            self._printed += len(text)
