"""Where a cursor stands: in which forms, on which word, and what could be written there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vcad_kernel.loon.analysis.document import Document
from vcad_kernel.loon.forms.table import FORMS
from vcad_kernel.loon.reading.concrete import BLANKS, Node
from vcad_kernel.loon.reading.string_pieces import pieces
from vcad_kernel.loon.reading.tokens import lexemes
from vcad_kernel.loon.scoping.nodes import INTERPOLATED, LIST, MAP, SYMBOL, Expected, headed, parts

__all__ = ["Cursor", "Expected", "cursor_at"]

_WORDS = frozenset({"symbol", "keyword", "int", "float", "boolean"})
_STRINGS = frozenset({"string", "unclosed", "text", "escape", "stray"})


@dataclass(frozen=True, slots=True)
class Cursor:
    """A cursor's surroundings. Offsets in the nodes count from ``base``, those here from the text's start."""

    path: tuple[Node, ...]
    """The nodes around it, outermost first; not the word it touches."""
    base: int
    start: int
    end: int
    """The word that it is in or behind; both are the cursor when there is none."""
    typed: str
    """The part of that word before the cursor."""
    word: str
    expected: Expected

    @property
    def inner(self) -> Node:
        """The innermost node around it."""
        return self.path[-1]

    def before(self, node: Node) -> Sequence[Node]:
        """The forms in a node that end before the word under the cursor."""
        return [part for part in parts(node) if self.base + part.end <= self.start]


def cursor_at(document: Document, offset: int) -> Cursor:
    """The surroundings of an offset; one beyond the text counts as its end."""
    offset = max(0, min(offset, len(document.text)))
    section = document.sections[document.section_at(offset)]
    path, leaf = _path(section.tree, offset - section.start)
    cursor = Cursor(path, section.start, offset, offset, "", "", "nothing")
    if leaf is not None and leaf.kind in _STRINGS | {"comment"}:
        return _in_string(cursor, leaf, document.text) if leaf.kind == "unclosed" else cursor
    if leaf is not None and leaf.kind in _WORDS:
        start, end = section.start + leaf.start, section.start + leaf.end
        typed = document.text[start:offset]
        cursor = Cursor(path, section.start, start, end, typed, leaf.text, "nothing")
    return replace(cursor, expected=_expected(cursor))


def _path(tree: Node, offset: int) -> tuple[tuple[Node, ...], Node | None]:
    """The nodes that an offset is inside of, and the leaf it touches in the innermost."""
    path = [tree]
    leaf: Node | None = None
    while True:
        within = None
        for child in path[-1].children:
            if child.end < offset:
                continue
            if child.start > offset:
                break
            if child.children:
                if child.start < offset and (offset < child.end or not child.closed):
                    within = child
            elif _touched(child, offset) and (leaf is None or leaf.kind in BLANKS):
                leaf = child
        if leaf is not None and leaf.kind in _WORDS and leaf.end == offset:
            within = None
        if within is None:
            return tuple(path), leaf
        path.append(within)
        leaf = None


def _touched(leaf: Node, offset: int) -> bool:
    if leaf.kind in ("text", "escape", "stray"):
        return leaf.start <= offset <= leaf.end
    if leaf.kind == "string":
        return leaf.start < offset < leaf.end
    return leaf.kind in _WORDS | {"comment", "unclosed"} and leaf.start < offset <= leaf.end


def _in_string(cursor: Cursor, leaf: Node, text: str) -> Cursor:
    """A cursor in a string without its closing quote: is it within the braces of some code?"""
    begun = cursor.base + leaf.start + 1
    code = ""
    for piece in pieces(text[begun : cursor.start]):
        code = piece.text if piece.kind == "code" else "" if piece.kind != "open" else " "
    if not code:
        return cursor
    typed = ""
    opened: list[bool] = []  # whether each open bracket still waits for its head
    for kind, start, end in lexemes(code):
        typed = code[start:end] if kind in _WORDS else ""
        if kind == "open":
            opened.append(code[start:end] == "[")
        elif kind == "close" and opened:
            opened.pop()
        elif kind not in BLANKS and opened and end < len(code):
            opened[-1] = False
    if typed.startswith(":"):
        expected: Expected = "keyword"
    else:
        expected = "head" if opened and opened[-1] else "operand"
    start = cursor.start - len(typed)
    return Cursor(cursor.path, cursor.base, start, cursor.start, typed, typed, expected)


def _expected(cursor: Cursor) -> Expected:
    """What the language allows at the cursor."""
    inner = cursor.inner
    if inner.kind == INTERPOLATED:
        return "nothing"
    if cursor.word.startswith(":"):
        return "keyword"
    if cursor.word[:1].isdigit():
        return "nothing"
    before = cursor.before(inner)
    outer = cursor.path[-2] if len(cursor.path) > 1 else inner
    if inner.kind == LIST:
        if _is_binding(outer, inner):
            return "name"
        if headed(outer, "use"):
            return "export"
        if len(cursor.path) > 1 and _expected_in(cursor, outer) == "pattern" and not before:
            return "pattern"
        if not before:
            return "head"
    special = _in_special(inner, before)
    if special is not None:
        return special
    return _around(cursor, before)


def _around(cursor: Cursor, before: Sequence[Node]) -> Expected:
    """What is expected because of a form further out."""
    inner = cursor.inner
    in_function = inner.head() == "fn"
    for depth in range(len(cursor.path) - 2, -1, -1):
        node, child = cursor.path[depth], cursor.path[depth + 1]
        if _expected_in(cursor, node) == "pattern":
            evaluated = inner.kind == LIST and before and not before[0].text[:1].isupper()
            return "operand" if evaluated else "pattern"
        if _is_binding(node, child):
            return _in_binding(inner, before)
        in_function = in_function or node.head() == "fn"
        form = FORMS.get(node.head())
        if form is not None and form.holds_types and not (in_function and form.name == "type"):
            return "type"
    return "operand"


def _in_binding(node: Node, before: Sequence[Node]) -> Expected:
    """Within a pattern that binds: names are new, but a map's are its keys and have defaults."""
    if node.kind == MAP:
        return "key" if len(before) % 2 == 0 else "operand"
    return "name"


def _in_special(inner: Node, before: Sequence[Node]) -> Expected | None:
    """What a special form wants at the cursor, where that is not an expression."""
    if inner.kind != LIST or not before or before[0].kind != SYMBOL:
        return None
    if before[0].text == "pub":
        before = before[1:]
        if not before:
            return "head"
    form = FORMS.get(before[0].text)
    return None if form is None else form.expects(before)


def _expected_in(cursor: Cursor, node: Node) -> Expected | None:
    """What a special form wants where the cursor, or the node around it, stands in it."""
    form = FORMS.get(node.head())
    return None if form is None else form.expects(cursor.before(node))


def _is_binding(node: Node, child: Node) -> bool:
    """Whether a child of a form holds names that it binds."""
    items = parts(node)
    if node.kind == "tuple":
        return bool(items) and items[0] is child and child.kind == LIST
    form = FORMS.get(node.head())
    return form is not None and form.binds_in(items, child)
