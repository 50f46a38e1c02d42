"""What a cell gives whose last value is no geometry."""

from __future__ import annotations

from typing import Any

__all__ = ["LoonValue"]

_SHOWN = 10_000
"""Characters of a value that a cell's output takes; a notebook with megabytes of numbers helps nobody."""


class LoonValue:
    """A value that is no geometry, shown the way Loon shows it.

    value: the same as plain Python data (a vector is a list, a map a dict); None for a function.
    """

    def __init__(self, display: str, value: Any) -> None:
        self.display = display
        self.value = value

    def for_python(self) -> Any:
        """What a Python name gets: plain data as such, anything else in this wrapping."""
        return self if self.value is None else self.value

    def __repr__(self) -> str:
        if len(self.display) <= _SHOWN:
            return self.display
        return f"{self.display[:_SHOWN]}… ({len(self.display)} characters in all)"
