"""Progress of an evaluation: which phase it is in, and how far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

__all__ = ["Progress", "ProgressReport"]

Progress: TypeAlias = Callable[[str, int, int], object]
"""Takes a phase, how much of it is done and how much there is, 0 where it is not known.

The phases are loading (earlier cells are run again), running (the program), geometry (its solids), figures
(exact ones) and export.
"""

_EVERY: Final = 0.05
"""Seconds between two reports of one phase."""


class ProgressReport:
    """Passes progress on, not more often than anybody can see.

    onward: the receiver; None for none. clock: seconds.
    """

    def __init__(self, onward: Progress | None, clock: Callable[[], float]) -> None:
        self._onward = onward
        self._clock = clock
        self._phase = ""
        self._due = 0.0

    def __call__(self, phase: str, done: int = 0, total: int = 0) -> None:
        """Say how far a phase is; its beginning is always reported."""
        if self._onward is None:
            return
        now = self._clock()
        if phase != self._phase or now >= self._due:
            self._phase, self._due = phase, now + _EVERY
            self._onward(phase, done, total)
