"""A user's mistake in a Loon cell: it fails the cell, and shows the diagnostic and nothing else.

IPython prints what ``_render_traceback_`` returns instead of a traceback; the cell's result is an
error all the same, so that "run all", nbclient and CI stop there.
"""

from __future__ import annotations

from vcad_kernel.errors import VcadError

__all__ = ["LoonCellFailed"]

_RED, _BOLD, _PLAIN = "\x1b[31m", "\x1b[1m", "\x1b[0m"


class LoonCellFailed(Exception):
    """Carries the error of a cell to IPython; ``error`` has code, place and details."""

    def __init__(self, error: VcadError) -> None:
        super().__init__(f"[{error.code}] {error.message}")
        self.error = error

    def _render_traceback_(self) -> list[str]:
        """The lines IPython shows: the diagnostic, its first line and the caret in colour."""
        first, *rest = self.error.render().split("\n")
        return [f"{_BOLD}{_RED}{first}{_PLAIN}", *(_paint(line) for line in rest)]


def _paint(line: str) -> str:
    """Colour a caret line."""
    return f"{_RED}{line}{_PLAIN}" if line.strip(" |^") == "" and "^" in line else line
