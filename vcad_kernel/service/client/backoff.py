"""How often and after what pauses to try again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Backoff"]


@dataclass(frozen=True, slots=True)
class Backoff:
    """Pauses that double: 0.05 s, 0.1 s, … up to a longest one."""

    first: float = 0.05
    """Seconds."""
    longest: float = 2.0
    """Seconds."""
    tries: int = 5

    def pauses(self) -> Iterator[float | None]:
        """For each try, the pause after it should it fail; None after the last."""
        pause = self.first
        for _ in range(self.tries - 1):
            yield min(pause, self.longest)
            pause *= 2
        yield None
