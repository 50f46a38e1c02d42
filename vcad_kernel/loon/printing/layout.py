"""What the formatter lays out: forms with their comments.

Which parts of a special form share a line is said by its own file in forms/. Knows neither columns nor the
page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Comments", "Gathering", "Item", "head_of"]


@dataclass(frozen=True, slots=True)
class Comments:
    """Comments on lines of their own; ``parted``: whether a blank line was left above them."""

    texts: tuple[str, ...] = ()
    parted: bool = False

    def __bool__(self) -> bool:
        return bool(self.texts)


_NONE = Comments()


@dataclass(slots=True)
class Item:
    """A form to lay out.

    An atom or string is its ``opener`` alone. A quote mark is an opener without closer, a ``?`` a
    closer without opener.
    """

    kind: str
    opener: str
    closer: str = ""
    items: Sequence[Item] = ()
    before: Comments = _NONE
    """Above the form."""
    trailing: str = ""
    """At the end of the form's line, with the blanks that part them."""
    inside: Comments = _NONE
    """Above the closer."""
    width: int | None = 0
    """On one line; of several lines, which only strings have, the longest. None when it must be broken."""

    @property
    def word(self) -> str:
        """The symbol's name; empty when it is none."""
        return self.opener if self.kind == "symbol" else ""


class Gathering:
    """Comments on their way to the form they are about."""

    def __init__(self) -> None:
        self.newlines = 0
        """Since the last form or comment."""
        self.gap = ""
        """The blanks since then."""
        self._texts: list[str] = []
        self._parted = False

    def blank(self, text: str) -> None:
        """Blanks go by."""
        self.newlines += text.count("\n")
        self.gap = text

    def comment(self, text: str, before: Item | None) -> None:
        """A comment goes by; it is the last form's when that ends on the same line."""
        text = text.rstrip()
        if before is not None and not self.newlines and not self._texts:
            # As far from the code as it was written, for comments that stand in a column.
            before.trailing = " " * (1 if "\t" in self.gap else max(1, len(self.gap))) + text
        else:
            if not self._texts:
                self._parted = self.newlines > 1
            self._texts.append(text)
        self.newlines = 0
        self.gap = ""

    def form(self) -> None:
        """A form goes by."""
        self.newlines = 0
        self.gap = ""

    def comments(self) -> Comments:
        """The comments that wait, which are then taken."""
        if not self._texts:
            return _NONE
        gathered = Comments(tuple(self._texts), self._parted)
        self._texts = []
        return gathered


def head_of(item: Item) -> str:
    """The word that a list begins with, after ``pub`` if that is there; empty when it is no such list."""
    if item.kind != "list":
        return ""
    words = [inner.word for inner in item.items[:2]]
    if words[:1] == ["pub"]:
        return words[1] if len(words) > 1 else ""
    return words[0] if words else ""
