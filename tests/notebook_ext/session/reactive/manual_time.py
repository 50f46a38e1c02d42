"""A clock that a test moves, and waits that end when it has moved: nothing here takes time."""

from __future__ import annotations

from pathlib import Path
from threading import Condition, Event

from vcad_kernel.system.files import file_time

__all__ = ["ManualTime", "let_a_tick_pass"]

PATIENCE = 60.0
"""Seconds after which a test gives up on what must happen."""


class ManualTime:
    """`clock` and `wait` are for who waits on one condition, in one thread."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._rests = Event()
        self._condition: Condition | None = None

    def clock(self) -> float:
        return self.now

    def wait(self, condition: Condition, _seconds: float | None) -> None:
        self._condition = condition
        self._rests.set()
        condition.wait(PATIENCE)

    def advance(self, seconds: float) -> None:
        """Let time pass; returns when the thread has done what is due, and waits again."""
        self.pass_by(seconds)
        self.settle()

    def pass_by(self, seconds: float) -> None:
        """Let time pass, also while the thread is held up by what it does."""
        self.settle()
        self.now += seconds
        assert self._condition is not None
        with self._condition:
            self._rests.clear()
            self._condition.notify_all()

    def settle(self) -> None:
        """Until the thread waits."""
        assert self._rests.wait(PATIENCE)


def let_a_tick_pass(folder: Path) -> None:
    """Until what has been written in a folder is older than what is written next: some milliseconds."""
    newest = max(file.stat().st_ctime_ns for file in folder.rglob("*"))
    while file_time() <= newest:
        pass
