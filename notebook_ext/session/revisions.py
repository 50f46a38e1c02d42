"""The newest revision of each node: raised when a change of it is accepted, before anything is evaluated.

What comes back from an evaluation is applied only while its revision is still the newest, so nothing old
ever overwrites anything new. Numbers are given out on the thread that accepts a change, which need not be the
session's: the one thing here that is locked. Saving them is the truth's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock

from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["Revisions"]


class Revisions:
    """The numbers of all nodes of a session; may be asked on any thread."""

    def __init__(self) -> None:
        self._newest: dict[str, int] = {}
        self._lock = Lock()

    def accept(self, node_id: str) -> int:
        """The number of a change that has just been accepted: one above all before."""
        with self._lock:
            number = self._newest[node_id] = self._newest.get(node_id, 0) + 1
        return number

    def newest(self, node_id: str) -> int:
        """The number of the change that was accepted last; 0 before the first."""
        return self._newest.get(node_id, 0)

    def is_newest(self, node_id: str, revision: int) -> bool:
        """Whether nothing newer has been accepted: whether a result of this revision may be applied."""
        return self._newest.get(node_id, 0) == revision

    def restore(self, known: Mapping[str, int]) -> None:
        """Numbers that were given out earlier, as the project's truth has them; none is given out again."""
        with self._lock:
            for node_id, number in known.items():
                self._newest[node_id] = max(number, self._newest.get(node_id, 0))

    def refuse_stale(self, node_id: str, revision: int, operation: str) -> None:
        """Raises: ServiceFailure STALE_REVISION when something newer has been accepted."""
        current = self.newest(node_id)
        if current != revision:
            raise ServiceFailure(
                ErrorCode.STALE_REVISION,
                f"{node_id} has changed meanwhile: this is revision {revision}, the newest is {current}",
                fix="nothing was applied; do it again if it is still wanted",
                details={
                    "node_id": node_id,
                    "revision": revision,
                    "current": current,
                    "operation": operation,
                },
            )
