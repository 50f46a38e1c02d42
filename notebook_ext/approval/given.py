"""What a person has said yes to, for a while: a client that gave up waiting may call again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from notebook_ext.approval.calls import Preview

__all__ = ["Given", "GivenApprovals"]


@dataclass(frozen=True, slots=True)
class Given:
    """One yes."""

    arguments: Mapping[str, Any]
    """To call with."""
    shown: Preview | None
    """What the person saw; None where that was not what was approved in the end, or nothing was to see."""
    until: float
    """On the clock."""


class GivenApprovals:
    """valid: seconds for which a yes holds. clock: seconds, ever growing. Safe on any thread."""

    def __init__(self, valid: Callable[[], float], clock: Callable[[], float] = time.monotonic) -> None:
        self._valid = valid
        self._clock = clock
        self._lock = threading.Lock()
        self._given: dict[Hashable, Given] = {}

    def keep(self, bound_to: Hashable, arguments: Mapping[str, Any], shown: Preview | None) -> None:
        """What has this key may be done, with these arguments."""
        now = self._clock()
        with self._lock:
            self._given = {one: kept for one, kept in self._given.items() if kept.until > now}
            self._given[bound_to] = Given(dict(arguments), shown, now + self._valid())

    def found(self, bound_to: Hashable) -> Given | None:
        """The yes to this; None where there was none, or too long ago."""
        with self._lock:
            kept = self._given.get(bound_to)
        return kept if kept is not None and kept.until > self._clock() else None
