"""What the formatter lays out: forms with their comments, and which of their parts share a line.

Made from the tree of concrete syntax; spelling of strings and numerals is kept, blanks are not.
Knows §20.2's rules for each kind of form, but neither columns nor the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vcad_kernel.loon.concrete import Node

__all__ = ["Comments", "Gathering", "Item", "head_of", "item_of", "lines_of"]


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
        found = Comments(tuple(self._texts), self._parted)
        self._texts = []
        return found


def item_of(node: Node) -> Item:
    """The item of a form that the reader accepts."""
    if not node.children or node.kind == "interpolated":
        text = node.spelling()
        width = len(text) if "\n" not in text else max(map(len, text.split("\n")))
        return Item(node.kind, text, width=width)
    items: list[Item] = []
    item = Item(node.kind, "", items=items)
    gathering = Gathering()
    for child in node.children:
        kind = child.kind
        if kind == "blank":
            gathering.blank(child.text)
        elif kind == "comment":
            gathering.comment(child.text, items[-1] if items else None)
        elif kind in ("open", "quote"):
            item.opener = child.text
        elif kind == "close":
            item.closer = child.text
        elif kind == "postfix":
            # Without the blank, x ? would be the symbol x?.
            item.closer = " ?" if gathering.gap and items[0].kind not in _CLOSED else "?"
        else:
            inner = item_of(child)
            inner.before = gathering.comments()
            items.append(inner)
            gathering.form()
    item.inside = gathering.comments()
    item.width = _width(item)
    return item


_CLOSED = frozenset({"list", "vector", "set", "map", "tuple", "string", "interpolated"})
"""Forms after which a ``?`` can stand without a blank."""


def _width(item: Item) -> int | None:
    if item.inside or (head_of(item) in _ALWAYS_BROKEN and len(item.items) > 2):
        return None
    width = len(item.opener) + len(item.closer) + max(len(item.items) - 1, 0)
    for inner in item.items:
        if inner.width is None or inner.before or inner.trailing:
            return None
        width += inner.width
    return width


_ALWAYS_BROKEN = frozenset({"match", "type", "effect"})


def head_of(item: Item) -> str:
    """The word that a list begins with, after ``pub`` if that is there; empty when it is no such list."""
    if item.kind != "list":
        return ""
    words = [inner.word for inner in item.items[:2]]
    if words[:1] == ["pub"]:
        return words[1] if len(words) > 1 else ""
    return words[0] if words else ""


_WITH_HEAD = {
    "if": 2,
    "pipe": 2,
    "match": 2,
    "effect": 2,
    "handle": 2,
    "trait": 2,
    "derive": 2,
    "impl": 3,
    "defparam": 3,
}
"""How many items, the word included, stay on the first line of a broken form; others have one."""


def lines_of(item: Item) -> Iterator[Sequence[Item]]:
    """The items by the lines they share when the form is broken; the first line is the opener's."""
    items = item.items
    kept = min(_on_first_line(item), len(items))
    yield items[:kept]
    if item.kind == "map":
        yield from (items[at : at + 2] for at in range(kept, len(items), 2))
    elif head_of(item) == "match":
        yield from _arms(items[kept:])
    else:
        yield from ([one] for one in items[kept:])


def _on_first_line(item: Item) -> int:
    if item.kind == "map":
        return 2
    head, items = head_of(item), item.items
    at = 2 if item.kind == "list" and items and items[0].word == "pub" else 1
    if head in ("fn", "test", "macro"):
        return _after_parameters(items, at)
    if head == "let":
        return at + (2 if len(items) > at and items[at].word == "mut" else 1)
    if head == "type":
        at += 1
        while at < len(items) and items[at].word[:1].islower():
            at += 1
        return at
    return at - 1 + _WITH_HEAD.get(head, 1)


def _after_parameters(items: Sequence[Item], at: int) -> int:
    """Past a function's name, its parameters and its effects."""
    while at < len(items) and items[at].word:
        at += 1
    if at < len(items) and items[at].kind == "list":
        at += 1
        if at < len(items) and items[at].kind == "set":
            at += 1
    return at


def _arms(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """Pattern, with its guard on the same line, and body in turn."""
    at = 0
    while at < len(items):
        guarded = at + 1 < len(items) and head_of(items[at + 1]) == "when"
        after = at + (2 if guarded else 1)
        yield items[at:after]
        yield from ([body] for body in items[after : after + 1])
        at = after + 1
