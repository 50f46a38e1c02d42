"""What a person has said yes to, for a while: a client that gave up waiting may call again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["GivenApprovals"]


class GivenApprovals:
    """valid: seconds for which a yes holds. clock: seconds, ever growing. Safe on any thread."""

    def __init__(self, valid: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._valid = valid
        self._clock = clock
        self._lock = threading.Lock()
        self._given: dict[str, tuple[float, Mapping[str, Any]]] = {}

    def keep(self, hashed: str, arguments: Mapping[str, Any]) -> None:
        """What has this hash may be done, with these arguments."""
        now = self._clock()
        with self._lock:
            self._given = {one: kept for one, kept in self._given.items() if kept[0] > now}
            self._given[hashed] = (now + self._valid, dict(arguments))

    def found(self, hashed: str) -> Mapping[str, Any] | None:
        """The arguments that it was approved with; None where it was not, or too long ago."""
        with self._lock:
            kept = self._given.get(hashed)
        return kept[1] if kept is not None and kept[0] > self._clock() else None
