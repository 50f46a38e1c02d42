"""Closed, terminating, deterministic Loon programs over most of the language, as hypothesis draws them.

They are modest in size, but some run long or grow long values; the reference evaluator counts and
stops. Run-time errors happen.
"""

from __future__ import annotations

from hypothesis import strategies as st

from tests.loon.programs.definitions import program
from tests.loon.programs.writer import Style

__all__ = ["Style", "program", "programs"]

_CHOICES = 800
"""Choices that are drawn for a program; when they are used up, all that follows is plain."""

_ANY = Style()


def programs(style: Style = _ANY) -> st.SearchStrategy[str]:
    """Programs of a style."""

    # One draw for all choices is many times faster than a draw for each.
    def written(choices: bytes) -> str:
        rest = iter(choices)
        return program(lambda below: next(rest, 0) % below, style)

    return st.binary(min_size=_CHOICES, max_size=_CHOICES).map(written)
