"""What waits to be told to one connection: by keys, of which the newest wins, and never too much of it.

A node that changes a thousand times while nobody reads waits once, in its place: what it is then is looked up
when it is taken. What is about nodes (a focus, what glows) goes behind those that came before it. Answers
have keys of their own; when more of anything waits than a living reader leaves, or what waits is not taken
for too long, the reader is given up.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

__all__ = ["MOST", "PATIENCE", "Outbox"]

MOST: Final = 4096
"""Keys that wait at a time, in a scene of no more than a quarter as many nodes."""
PATIENCE: Final = 60.0
"""Seconds in which a reader takes something of what waits."""


_T = TypeVar("_T")


class Outbox(Generic[_T]):
    """wake: called on any thread when there is something to take, or nothing any more. clock: seconds.

    most: keys that may wait now. patience: as `PATIENCE`.
    """

    def __init__(
        self,
        wake: Callable[[], object],
        clock: Callable[[], float],
        *,
        most: Callable[[], int] = lambda: MOST,
        patience: float = PATIENCE,
    ) -> None:
        self._wake = wake
        self._clock = clock
        self._most = most
        self._patience = patience
        self._lock = threading.Lock()
        self._waiting: dict[Hashable, _T] = {}
        """Oldest first; a dictionary keeps that order, and each key once."""
        self._taken = clock()
        """When something was taken last, or nothing waited."""
        self._is_held = False
        """Whether what was taken is being made ready: that is not the reader's time."""
        self.given_up = False
        """Whether the reader is to be sent away."""

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, key: Hashable, value: _T, *, behind: bool = False) -> None:
        """Have this wait; of a key that waits already, the value is the new one.

        behind: whether it then goes behind all that waits; else it keeps its place, so that what changes all
        the time has its turn, too.
        """
        with self._lock:
            if self.given_up:
                return
            now = self._clock()
            if not self._waiting:
                self._taken = now
            late = not self._is_held and now - self._taken > self._patience
            if behind:
                self._waiting.pop(key, None)
            if late or (key not in self._waiting and len(self._waiting) >= self._most()):
                self.given_up = True
                self._waiting.clear()
            else:
                self._waiting[key] = value
        self._wake()

    def take(self) -> _T | None:
        """What has waited longest, to be made ready until `made`; None where nothing waits."""
        with self._lock:
            if not self._waiting:
                return None
            key = next(iter(self._waiting))
            self._is_held = True
            return self._waiting.pop(key)

    def made(self) -> None:
        """What was taken is ready for the reader."""
        with self._lock:
            self._is_held = False
            self._taken = self._clock()

    def drop(self, unwanted: Callable[[Hashable], bool]) -> None:
        """Forget what waits under some keys."""
        with self._lock:
            for key in [key for key in self._waiting if unwanted(key)]:
                del self._waiting[key]

    def clear(self) -> None:
        """Forget what waits."""
        self.drop(lambda _: True)
