"""A queue of one: work on the newest value, while those it has overtaken are dropped.

A slider tells its value many times a second, and a model may take a second to build. A value that waits
for its turn is replaced by the next, so nothing piles up, and the last value is always worked on.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Final, Generic, TypeVar, cast

__all__ = ["Newest", "Submit"]

T = TypeVar("T")

Submit = Callable[[Callable[[], None]], object]
"""Has a function called soon, on a thread that may take its time."""

_NONE: Final = object()


class Newest(Generic[T]):
    """work: takes a value and may take long; submit: where it is done, once at a time."""

    def __init__(self, work: Callable[[T], None], submit: Submit) -> None:
        self._work = work
        self._submit = submit
        self._lock = Lock()
        self._waiting: object = _NONE
        self._busy = False

    def put(self, value: T) -> None:
        """Have this value worked on, in place of one that is still waiting; returns at once."""
        with self._lock:
            self._waiting = value
            if self._busy:
                return
            self._busy = True
        self._submit(self._run)

    def _run(self) -> None:
        while True:
            with self._lock:
                value, self._waiting = self._waiting, _NONE
                if value is _NONE:
                    self._busy = False
                    return
            try:
                self._work(cast(T, value))
            except BaseException:
                with self._lock:
                    self._busy = False
                raise
