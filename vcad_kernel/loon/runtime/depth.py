"""How deep a program may recurse."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["DEPTH", "deep_stack"]

DEPTH = 100_000
"""Python frames that a run may stack up on top of its caller's. A Loon call is one of them, a call
through ``map`` or ``fold`` two. They live on the heap, so the C stack does not limit them."""


@contextmanager
def deep_stack() -> Iterator[None]:
    """Room for deep recursion, taken back afterwards."""
    before = sys.getrecursionlimit()
    depth, frame = 0, sys._getframe()
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    sys.setrecursionlimit(max(before, depth + DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
