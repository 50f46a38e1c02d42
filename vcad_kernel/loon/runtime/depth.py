"""How deep a program may recurse."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

__all__ = ["DEPTH", "deep_stack"]

DEPTH = 100_000
"""Python frames that a run may stack up on top of its caller's. A Loon call is one of them, a call
through ``map`` or ``fold`` two. They live on the heap, so the C stack does not limit them."""


_lock = Lock()
_runs = 0
"""Runs under way, in all threads: the limit is the process's, and the last one gives it back."""
_before = 0


@contextmanager
def deep_stack(frames: int = DEPTH) -> Iterator[None]:
    """Room for deep recursion, so many frames more than there are now; taken back afterwards."""
    global _runs, _before
    depth, frame = 0, sys._getframe()
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    with _lock:
        if _runs == 0:
            _before = sys.getrecursionlimit()
        _runs += 1
        sys.setrecursionlimit(max(sys.getrecursionlimit(), depth + frames))
    try:
        yield
    finally:
        with _lock:
            _runs -= 1
            if _runs == 0:
                sys.setrecursionlimit(_before)
