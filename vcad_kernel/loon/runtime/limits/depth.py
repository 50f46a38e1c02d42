"""How deep a program may recurse."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, get_ident

__all__ = ["DEPTH", "deep_stack"]

DEPTH = 100_000
"""Python frames that a run may stack up on top of its caller's. A Loon call is one of them, a call
through ``map`` or ``fold`` two. They live on the heap, so the C stack does not limit them."""


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
