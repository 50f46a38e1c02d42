"""Loon text in its one layout (§20.2): 80 wide, indented by 2.

Nothing is lost: comments stay with what they are about, strings and numerals stay as they are
written, and the text reads as the same forms. Formatting what was formatted changes nothing. A form
that fits on the rest of its line stands there; otherwise it is broken, a special form as its own file in
forms/ says. What is inside a broken form begins 2 columns right of it, wherever on its line it begins
itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from vcad_kernel.loon.forms.table import FORMS
from vcad_kernel.loon.printing.layout import Comments, Gathering, Item, head_of
from vcad_kernel.loon.reading.concrete import Node, parse
from vcad_kernel.loon.reading.reader import ReadChunk, read
from vcad_kernel.loon.source import Source

__all__ = ["WIDTH", "format_source"]

WIDTH = 80
_INDENT = 2

_PARTED = frozenset(name for name, form in FORMS.items() if form.parted)
"""Top-level forms with a blank line around them."""

_BROKEN = frozenset(name for name, form in FORMS.items() if form.broken)
"""Forms that never stand on one line, unless they are short of all parts."""


def format_source(text: str, name: str = "text") -> str:
    """``text`` laid out anew.

    name: what errors call the text.
    Raises: LoonSyntaxError, as the reader.
    """
    chunks = read(Source(name, text))
    page = _Page()
    before: _Entry | None = None
    for entry in _entries(_top_level(text, chunks)):
        if before is not None:
            page.end_line(0, blank=_blank_between(before, entry))
        page.put_entry(entry)
        before = entry
    return page.text()


def _top_level(text: str, chunks: Iterable[ReadChunk]) -> Iterator[Node]:
    """What stands at top level, parsed bit by bit: the tree of a long text is not needed at once."""
    at = 0
    for read_chunk in chunks:
        chunk = read_chunk.chunk
        yield from parse(text[at : chunk.start]).children
        yield from parse(chunk.text).children
        at = chunk.start + len(chunk.text)
    yield from parse(text[at:]).children


@dataclass(slots=True)
class _Entry:
    """A top-level form with the comments right above it, or comments that stand alone."""

    comments: Comments
    item: Item | None


def _entries(nodes: Iterable[Node]) -> Iterator[_Entry]:
    last: _Entry | None = None  # its line may still get a comment
    gathering = Gathering()
    for node in nodes:
        if node.kind == "blank":
            gathering.blank(node.text)
            continue
        alone = gathering.newlines > 1 and gathering.comments()
        if alone:
            if last is not None:
                yield last
            last = _Entry(alone, None)
        if node.kind == "comment":
            gathering.comment(node.text, last.item if last is not None else None)
            continue
        if last is not None:
            yield last
        last = _Entry(gathering.comments(), _item_of(node))
        gathering.form()
    if last is not None:
        yield last
    alone = gathering.comments()
    if alone:
        yield _Entry(alone, None)


def _blank_between(before: _Entry, after: _Entry) -> bool:
    if before.item is None or after.comments.parted:
        return True
    return any(entry.item is not None and head_of(entry.item) in _PARTED for entry in (before, after))


def _item_of(node: Node) -> Item:
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
            inner = _item_of(child)
            inner.before = gathering.comments()
            items.append(inner)
            gathering.form()
    item.inside = gathering.comments()
    item.width = _width(item)
    return item


_CLOSED = frozenset({"list", "vector", "set", "map", "tuple", "string", "interpolated"})
"""Forms after which a ``?`` can stand without a blank."""


def _width(item: Item) -> int | None:
    if item.inside or (head_of(item) in _BROKEN and len(item.items) > 2):
        return None
    width = len(item.opener) + len(item.closer) + max(len(item.items) - 1, 0)
    for inner in item.items:
        if inner.width is None or inner.before or inner.trailing:
            return None
        width += inner.width
    return width


def _lines_of(item: Item) -> Iterator[Sequence[Item]]:
    """The items by the lines they share when the form is broken; the first line is the opener's."""
    items = item.items
    form = FORMS.get(head_of(item))
    if item.kind == "map":
        yield from (items[at : at + 2] for at in range(0, len(items), 2))
        return
    exported = item.kind == "list" and bool(items) and items[0].word == "pub"
    kept = min(exported + (form.first_line(items[exported:]) if form is not None else 1), len(items))
    yield items[:kept]
    if form is not None and form.lines is not None:
        yield from form.lines(items[kept:])
    else:
        yield from ([item] for item in items[kept:])


@dataclass(frozen=True, slots=True)
class _Line:
    """A step: go on at the beginning of a new line."""

    indent: int
    blank: bool = False


@dataclass(frozen=True, slots=True)
class _Put:
    """A step: lay out an item; ``after`` more columns are taken on its last line."""

    item: Item
    after: int


_Step: TypeAlias = str | _Line | _Put


class _Page:
    """Text in the making. Forms are broken into steps on a stack, so depth is no danger."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._column = 0

    def text(self) -> str:
        """All of it, ending with a newline unless it is empty."""
        return "".join([*self._out, "\n"]) if self._out else ""

    def end_line(self, indent: int, *, blank: bool = False) -> None:
        """Go on at the beginning of a new line."""
        self._out.append("\n\n" if blank else "\n")
        self._out.append(" " * indent)
        self._column = indent

    def put_entry(self, entry: _Entry) -> None:
        """Comments, then the form, from the beginning of a line."""
        for count, comment in enumerate(entry.comments.texts):
            if count:
                self.end_line(0)
            self._write(comment)
        if entry.item is not None:
            if entry.comments.texts:
                self.end_line(0)
            self._put(entry.item)
            self._write(entry.item.trailing)

    def _write(self, text: str) -> None:
        self._out.append(text)
        newline = text.rfind("\n")
        self._column = len(text) - newline - 1 if newline >= 0 else self._column + len(text)

    def _put(self, item: Item) -> None:
        steps: list[_Step] = [_Put(item, 0)]
        while steps:
            step = steps.pop()
            if isinstance(step, str):
                self._write(step)
            elif isinstance(step, _Line):
                self.end_line(step.indent, blank=step.blank)
            elif self._fits(step):
                self._write(_flat(step.item))
            else:
                steps.extend(reversed(_broken(step.item, self._column, step.after)))

    def _fits(self, step: _Put) -> bool:
        width = step.item.width
        if width is None:
            return False
        return not step.item.items or self._column + width + step.after <= WIDTH


def _flat(item: Item) -> str:
    """An item on one line."""
    out: list[str] = []
    waiting: list[Item | str] = [item]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            out.append(node)
            continue
        out.append(node.opener)
        waiting.append(node.closer)
        for inner in reversed(node.items):
            waiting.append(inner)
            waiting.append(" ")
        if node.items:
            waiting.pop()
    return "".join(out)


def _broken(item: Item, column: int, after: int) -> list[_Step]:
    """The steps that lay an item out on several lines from a column on."""
    inner = column + (_INDENT if item.kind in _INDENTED else 0)
    steps: list[_Step] = [item.opener]
    last = item.items[-1] if item.items else None
    begun = False  # whether anything stands behind the opener
    commented = False  # whether a comment ends the line
    for count, line in enumerate(_lines_of(item)):
        fresh = count > 0
        for piece in line:
            comments = piece.before.texts
            if comments and begun:
                steps.append(_Line(inner, piece.before.parted))
            for comment in comments:
                steps += (comment, _Line(inner))
            if not comments and (fresh or commented):
                steps.append(_Line(inner))
            elif not comments and begun:
                steps.append(" ")
            hugged = piece is last and not piece.trailing and not item.inside.texts
            steps.append(_Put(piece, after + len(item.closer) if hugged else 0))
            if piece.trailing:
                steps.append(piece.trailing)
            commented = bool(piece.trailing)
            begun, fresh = True, False
    for count, comment in enumerate(item.inside.texts):
        if begun or count:
            steps.append(_Line(inner, item.inside.parted and not count))
        steps.append(comment)
        commented = True
    if commented:
        steps.append(_Line(column))
        steps.append(item.closer.lstrip())
    else:
        steps.append(item.closer)
    return steps


_INDENTED = frozenset({"list", "vector", "set", "map", "tuple"})
