"""What became of a call before it is done, and what that may take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vcad_kernel.errors import VcadError

__all__ = ["Decision", "Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds, where nothing else is said."""

    ask: float = 60.0
    ask_over_mcp: float = 45.0
    """Its clients give up at 60."""
    progress: float = 5.0
    """Between two words that it still waits."""
    seen: float = 5.0
    """Until which a front end must show the question, else nobody is looking."""
    valid: float = 600.0
    """For which a yes holds for the same tool, arguments and model."""
    waiting: int = 16
    """Calls that may wait for a person at a time: each holds a thread, and nobody answers a flood."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of a call before it is done."""

    arguments: Mapping[str, Any]
    """To do it with: as edited, else as given."""
    how: str
    """"allow", "remembered", "approved", "approved with edits", "approved before", "denied", …"""
    changed: tuple[str, ...] = ()
    """Names of the arguments that the person edited."""
    error: VcadError | None = None
    """APPROVAL_REQUIRED, APPROVAL_DENIED or APPROVAL_TIMEOUT; None when it may be done."""
    ask_id: str | None = None

    @property
    def allowed(self) -> bool:
        """Whether it may be done."""
        return self.error is None
