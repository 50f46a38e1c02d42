"""How large one value may be in the run under way on this thread.

Set by limits.py; asked by whatever makes values or their texts. Knows no errors: what is too large is
reported by those who ask.
"""

from __future__ import annotations

import threading
from typing import Final

__all__ = ["STANDARD_SIZE", "allow_size", "allowed_size"]

STANDARD_SIZE: Final = 10_000_000
"""Items of one vector, map or set, characters of one string."""


class _InForce(threading.local):
    """Not a ContextVar: the greenlets of effects each have a context of their own, but share their
    thread's locals."""

    size: int = STANDARD_SIZE


_in_force: Final = _InForce()


def allowed_size() -> int:
    """Items or characters that one value may have."""
    return _in_force.size


def allow_size(size: int) -> int:
    """Set what one value may have, and give what it might before."""
    before = _in_force.size
    _in_force.size = size
    return before
