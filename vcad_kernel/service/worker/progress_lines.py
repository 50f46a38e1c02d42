"""How far the running request is, told to the front now and then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from vcad_kernel.service.shared.control import Progress
from vcad_kernel.service.worker.front_link import FrontLink

__all__ = ["ProgressLines"]

_INTERVAL: Final = 0.05
"""Seconds between two lines of one phase at least; that a phase begins is always told."""


class ProgressLines:
    """Tells how far one request is. clock: seconds."""

    def __init__(self, link: FrontLink, seq: int, clock: Callable[[], float]) -> None:
        self._link = link
        self._seq = seq
        self._clock = clock
        self._phase = ""
        self._due = clock()

    def __call__(self, phase: str, done: int = 0, total: int = 0) -> None:
        """The request is in this phase; total: 0 where nobody knows."""
        now = self._clock()
        if phase != self._phase or now >= self._due:
            self._phase, self._due = phase, now + _INTERVAL
            self._link.offer(Progress(self._seq, done, total, phase))
