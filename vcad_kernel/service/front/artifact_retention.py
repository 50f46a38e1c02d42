"""Which published pairs have had their time: too old, or too many.

A pair of this service is as old as the steady clock says since its birth, so that a jump of the
calendar removes nothing; one of an earlier service is as old as its files. Decides, removes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

__all__ = ["Retention"]

Clock = Callable[[], float]


class Retention:
    """seconds: how long a pair is kept. pairs: how many at most. steady, calendar: clocks in seconds."""

    def __init__(
        self,
        seconds: float = 3600.0,
        pairs: int = 500,
        *,
        steady: Clock = time.monotonic,
        calendar: Clock = time.time,
    ) -> None:
        self._seconds = seconds
        self._pairs = pairs
        self._steady = steady
        self._calendar = calendar
        self._births: dict[str, float] = {}
        """Name of a pair of this service → when it was published, by the steady clock."""

    def born(self, name: str) -> None:
        """A pair has been published now."""
        self._births[name] = self._steady()

    def expired(self, pairs: Sequence[Path]) -> list[Path]:
        """Those to be removed, of the published pairs' bases, oldest first."""
        names = {base.name for base in pairs}
        self._births = {name: birth for name, birth in self._births.items() if name in names}
        surplus = len(pairs) - self._pairs
        return [base for rank, base in enumerate(pairs) if rank < surplus or self._age(base) > self._seconds]

    def _age(self, base: Path) -> float:
        birth = self._births.get(base.name)
        if birth is not None:
            return self._steady() - birth
        try:
            return self._calendar() - base.with_name(base.name + ".manifest.json").stat().st_mtime
        except OSError:
            return 0.0  # somebody else has just removed it
