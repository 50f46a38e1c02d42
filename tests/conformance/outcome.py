"""What came of one conformance case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Outcome"]


@dataclass(frozen=True)
class Outcome:
    """A case's result; for a skipped case ``got`` is the reason."""

    status: Literal["passed", "failed", "skipped"]
    expected: str
    got: str
