"""Real time that a test can put forward, so that it need not wait for what happens after a time."""

from __future__ import annotations

import time

__all__ = ["SteadyClock"]


class SteadyClock:
    """Seconds, ever growing."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self._ahead

    def advance(self, seconds: float) -> None:
        self._ahead += seconds
