"""How far a feature that cannot be built looks for the largest size that can.

Knows no kernel: the limit is handed down from the evaluation to the builders.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SearchLimit"]


@dataclass(frozen=True, slots=True)
class SearchLimit:
    """The search ends with the first of the two that is used up: its time, or its trials."""

    blend_seconds: float = 2.5
    """For a fillet or a chamfer; of the thread's processor time."""
    wall_seconds: float = 3.0
    """For a shell, an offset or a draft."""
    trials: int = 40
    """Bodies built at most. More than the precision of an answer ever asks for; fewer give the same rough
    answer on every machine."""
