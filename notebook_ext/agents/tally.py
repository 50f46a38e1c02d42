"""How often each tool was called, what came of it, and how long it took; for the gateway's ``/metrics``."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass

__all__ = ["Tally", "ToolCount"]


@dataclass(frozen=True, slots=True)
class ToolCount:
    """The calls of one tool that ended alike."""

    tool: str
    outcome: str
    """``ok`` or the error code."""
    calls: int
    seconds: float
    """Of all these calls together."""


class Tally:
    """Counts from any thread."""

    def __init__(self) -> None:
        self._counting = threading.Lock()
        self._calls: Counter[tuple[str, str]] = Counter()
        self._seconds: Counter[tuple[str, str]] = Counter()

    def add(self, tool: str, error_code: str | None, seconds: float) -> None:
        """Count one call that has ended. error_code: None for a success."""
        with self._counting:
            self._calls[tool, error_code or "ok"] += 1
            self._seconds[tool, error_code or "ok"] += seconds  # type: ignore[assignment]

    def counts(self) -> tuple[ToolCount, ...]:
        """What has been counted, by tool and outcome."""
        with self._counting:
            return tuple(
                ToolCount(tool, outcome, calls, self._seconds[tool, outcome])
                for (tool, outcome), calls in sorted(self._calls.items())
            )
