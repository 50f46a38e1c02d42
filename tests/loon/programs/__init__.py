"""Closed, terminating, deterministic Loon programs over most of the language, as hypothesis draws them.

They are modest in size, but some run long or grow long values; the reference evaluator counts and
stops. Run-time errors happen.
"""

from __future__ import annotations

from hypothesis import strategies as st

from tests.loon.programs.definitions import program
from tests.loon.programs.writer import Style

__all__ = ["Style", "program", "programs"]


@st.composite
def programs(draw: st.DrawFn, style: Style = Style()) -> str:
    """Programs of a style."""
    return program(lambda below: draw(st.integers(0, below - 1)), style)
