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
        self._until[approver] = self._clock() + ATTENDANCE

    @property
    def anybody(self) -> bool:
        """Whether one has said so within the last seconds."""
        now = self._clock()
        return any(until > now for until in list(self._until.values()))
