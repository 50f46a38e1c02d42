"""Who watches from a terminal: known only by saying so again and again."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

__all__ = ["ATTENDANCE", "Attendance"]

ATTENDANCE: Final = 5.0
"""Seconds for which one word of an approver holds."""


class Attendance:
    """clock: seconds, ever growing. Safe on any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: dict[str, float] = {}

    def note(self, approver: str) -> None:
        """This one watches now."""
        now = self._clock()
        kept = {one: until for one, until in self._until.copy().items() if until > now}
        self._until = {**kept, approver: now + ATTENDANCE}

    @property
    def anybody(self) -> bool:
        """Whether one has said so within the last seconds."""
        now = self._clock()
        return any(until > now for until in self._until.values())
