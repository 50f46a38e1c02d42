"""What a program may use: time, depth, size of one value, macro expansions.

The limits keep a mistake from taking the host down; they say nothing of what is sensible. Time is
watched from outside (watchdog.py), depth by Python itself, macro expansions are counted
where macros are expanded, sizes are compared by the builtins that make or join values.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock, get_ident
from typing import Final, TypeVar

from vcad_kernel.errors import LoonError
from vcad_kernel.loon.runtime.faults import fault
from vcad_kernel.loon.runtime.limits.allowance import STANDARD_SIZE, allow_size, allowed_size
from vcad_kernel.loon.runtime.limits.watchdog import TookTooLong, within

__all__ = ["DEPTH", "STANDARD", "Limits", "check_size", "deep_stack", "limited"]

DEPTH: Final = 100_000
"""Python frames that a run may stack up on top of its caller's. A Loon call is one of them, a call
through ``map`` or ``fold`` two. They live on the heap, so the C stack does not limit them."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run of a program may use."""

    seconds: float | None = 60.0
    """Wall-clock time of a run; None for any."""
    items: int = STANDARD_SIZE
    """Items of one vector, map or set, characters of one string."""
    depth: int = DEPTH
    """Calls that wait for each other, counted in Python frames."""
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


_lock = Lock()
_wanted: dict[int, list[int]] = {}
"""By thread, the limits that its runs under way ask for, the innermost last. The limit is the
process's: so it is the largest that any thread's innermost run asks for, and in the end what it was."""
_before = 0


@contextmanager
def deep_stack(frames: int = DEPTH) -> Iterator[None]:
    """Room for so many frames more than there are now; taken back afterwards."""
    global _before
    depth, frame = 0, sys._getframe()
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    thread = get_ident()
    with _lock:
        if not _wanted:
            _before = sys.getrecursionlimit()
        _wanted.setdefault(thread, []).append(depth + frames)
        _set_limit()
    try:
        yield
    finally:
        with _lock:
            _wanted[thread].pop()
            if not _wanted[thread]:
                del _wanted[thread]
            _set_limit()


def _set_limit() -> None:
    sys.setrecursionlimit(max([_before, *[limits[-1] for limits in _wanted.values()]]))
