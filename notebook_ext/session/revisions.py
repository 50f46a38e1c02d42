"""The newest revision of each node: raised when a change of it is accepted, before anything is evaluated.

What comes back from an evaluation is applied only while its revision is still the newest, so nothing old
ever overwrites anything new. Numbers are given out on the thread that accepts a change, which need not be the
session's: the one thing here that is locked. Saving them is the truth's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock

__all__ = ["Revisions"]


class Revisions:
    """The numbers of all nodes of a session; may be asked on any thread."""

    def __init__(self) -> None:
        self._given_out: dict[str, int] = {}
        """Node id → the highest number that it ever had."""
        self._begun: dict[str, int] = {}
        """Node id → the highest number whose turn has come."""
        self._waiting: dict[str, set[int]] = {}
        """Node id → what has been accepted and waits for its turn."""
        self._lock = Lock()

    def accept(self, node_id: str) -> int:
        """The number of a change that has just been accepted: one above all before."""
        with self._lock:
            number = self._given_out[node_id] = self._given_out.get(node_id, 0) + 1
            self._waiting.setdefault(node_id, set()).add(number)
        return number

    def begin(self, node_id: str, number: int) -> None:
        """A change that was accepted has its turn."""
        with self._lock:
            self._waiting.get(node_id, set()).discard(number)
            self._begun[node_id] = max(number, self._begun.get(node_id, 0))

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
            return max(self._begun.get(node_id, 0), *waiting) if waiting else self._begun.get(node_id, 0)

    def restore(self, known: Mapping[str, int]) -> None:
        """Numbers that were given out earlier, as the project's truth has them; none is given out again."""
        with self._lock:
            for node_id, number in known.items():
                self._given_out[node_id] = max(number, self._given_out.get(node_id, 0))
                self._begun[node_id] = max(number, self._begun.get(node_id, 0))
