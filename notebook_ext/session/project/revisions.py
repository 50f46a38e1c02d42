"""The newest revision of each node: raised when a change of it is accepted, before anything is evaluated.

What comes back from an evaluation is applied only while its revision is still the newest, so nothing old
ever overwrites anything new. Numbers are given out on the thread that accepts a change, which need not be the
session's: the one thing here that is locked. Saving them is the truth's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import RLock

from notebook_ext.session.node_names import name_of
from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["Revisions", "conflict"]


class Revisions:
    """The numbers of all nodes of a session; may be asked on any thread."""

    def __init__(self) -> None:
        self._given_out: dict[str, int] = {}
        """Node id → the highest number that it ever had."""
        self._begun: dict[str, int] = {}
        """Node id → the highest number whose turn has come."""
        self._waiting: dict[str, set[int]] = {}
        """Node id → what has been accepted and waits for its turn."""
        self._lock = RLock()

    def accept(self, node_id: str, expected: int | None = None) -> int:
        """The number of a change that has just been accepted: one above all before.

        expected: the newest that the author of the change has seen; of two who have seen the same, one is
        refused. Raises: ServiceFailure REVISION_CONFLICT.
        """
        with self._lock:
            if expected is not None and expected != (current := self.newest(node_id)):
                raise conflict(node_id, expected, current)
            number = self._given_out[node_id] = self._given_out.get(node_id, 0) + 1
            self._waiting.setdefault(node_id, set()).add(number)
        return number

    def begin(self, node_id: str, number: int) -> None:
        """A change that was accepted has its turn."""
        with self._lock:
            self._waiting.get(node_id, set()).discard(number)
            self._begun[node_id] = max(number, self._begun.get(node_id, 0))

    def begun(self, node_id: str) -> int:
        """The number of the newest change that has had its turn; 0 before the first."""
        with self._lock:
            return self._begun.get(node_id, 0)

    def withdraw(self, node_id: str, number: int) -> None:
        """A change that was accepted is not made after all: it overtakes nothing. Its number is not used."""
        with self._lock:
            self._waiting.get(node_id, set()).discard(number)

    def waiting(self, node_id: str) -> frozenset[int]:
        """The changes that have been accepted and have not had their turn."""
        with self._lock:
            return frozenset(self._waiting.get(node_id, ()))

    def newest(self, node_id: str) -> int:
        """The number of the newest change, be it under way or waiting; 0 before the first."""
        with self._lock:
            waiting = self._waiting.get(node_id, ())
            return max(self._begun.get(node_id, 0), max(waiting, default=0))

    def restore(self, known: Mapping[str, int]) -> None:
        """Numbers that were given out earlier, as the project's truth has them; none is given out again."""
        with self._lock:
            for node_id, number in known.items():
                self._given_out[node_id] = max(number, self._given_out.get(node_id, 0))
                self._begun[node_id] = max(number, self._begun.get(node_id, 0))

    def require(self, node_id: str, expected: int | None) -> None:
        """Raises: ServiceFailure REVISION_CONFLICT where the newest is another. expected: None for any."""
        if expected is not None and expected != (current := self.newest(node_id)):
            raise conflict(node_id, expected, current)


def conflict(node_id: str, expected: int, current: int) -> ServiceFailure:
    """The refusal of a change whose author has seen another revision of the node."""
    return ServiceFailure(
        ErrorCode.REVISION_CONFLICT,
        f"{name_of(node_id)} is at revision {current} by now, not {expected}; nothing was done",
        fix="look at it again, and decide anew",
        details={"node_id": node_id, "expected": expected, "current": current},
    )
