"""What a program may use: time, depth, size of one value, macro expansions.

The limits keep a mistake from taking the host down; they say nothing of what is sensible. Time is
watched from outside (watchdog.py), depth by Python itself (depth.py), macro expansions are counted
where macros are expanded, sizes are compared by the builtins that make or join values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from vcad_kernel.errors import LoonError
from vcad_kernel.loon.runtime.faults import fault
from vcad_kernel.loon.runtime.limits.allowance import STANDARD_SIZE, allow_size, allowed_size
from vcad_kernel.loon.runtime.limits.depth import DEPTH, deep_stack
from vcad_kernel.loon.runtime.limits.watchdog import TookTooLong, within

__all__ = ["STANDARD", "Limits", "check_size", "limited"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run of a program may use."""

    seconds: float | None = 60.0
    """Wall-clock time of a run; None for any."""
    items: int = STANDARD_SIZE
    """Items of one vector, map or set, characters of one string."""
    depth: int = DEPTH
    """Calls that wait for each other, counted in Python frames (see depth.py)."""
    macro_expansions: int = 100_000
    """Macro calls in a program, those that come out of others included."""


STANDARD: Final = Limits()


def limited(limits: Limits, work: Callable[[], _T]) -> _T:
    """The value of ``work``, a run of Loon code, which keeps within the limits.

    Raises: LoonRuntimeError with code ``time-limit`` or ``collection-size``; RecursionError; what the
    work raises.
    """
    before = allow_size(limits.items)
    try:
        with deep_stack(limits.depth):
            return within(limits.seconds, work)
    except TookTooLong as stopped:
        raise _too_long(limits).with_traceback(stopped.__traceback__) from None
    finally:
        allow_size(before)


def _too_long(limits: Limits) -> LoonError:
    return fault(
        "time-limit",
        f"the program took more than {limits.seconds:g} seconds and was stopped here",
        why="a recursion without end, or more work than fits into that time",
        fix="check that the recursion ends, and how many items the loops around this place go through",
    )


def check_size(operation: str, size: int) -> None:
    """Let ``operation`` make a value of so many items or characters, or fail."""
    allowed = allowed_size()
    if size > allowed:
        raise fault(
            "collection-size",
            f"{operation} makes a value of {size:,} items or characters; at most {allowed:,} are allowed",
            why="a few such values would take all of this machine's memory",
            fix="work on the items in parts, or check where the size comes from",
        )
