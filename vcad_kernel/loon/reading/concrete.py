"""Text as a tree that loses nothing: comments, blanks, spelling, and what is wrong with it.

For tools that look at text rather than run it: the formatter, completion, hover, outlines. The
leaves, joined, are the text, whatever the text is. Brackets without a partner, half-typed strings
and characters without meaning have their place in the tree too, so nothing here fails.

Node kinds. Leaves: the kinds of ``tokens.LEXICON``, of which ``quote`` and ``postfix`` are the
bare marks, and within strings ``text``, ``escape``, ``stray``. Nodes with children: ``program``;
``list``, ``vector``, ``set``, ``map``, ``tuple``; ``quasi``, ``unquote``, ``splice``: a mark and
the form it stands before; ``propagate``: a form and the ``?`` after it; ``interpolated``: a string
with code in it; ``interpolation``: the braces and the code between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from vcad_kernel.loon.reading.string_pieces import pieces, placed
from vcad_kernel.loon.reading.tokens import BRACKETS, Token, lexemes

__all__ = ["BLANKS", "Node", "parse"]

BLANKS = frozenset({"blank", "comment"})
"""Kinds of leaves that mean nothing."""

_BRACKETED = {"[": "list", "#[": "vector", "{": "map", "#{": "set", "(": "tuple"}
_MARKED = {"`": "quasi", "~": "unquote", "~@": "splice"}
_MARKS = frozenset(_MARKED.values())
_NO_FORM = BLANKS | {"open", "close", "quote", "postfix", "illegal", "unclosed", "text", "escape", "stray"}


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A stretch of the text, end exclusive, in code points."""

    kind: str
    start: int
    end: int
    children: tuple[Node, ...] = ()
    text: str = ""
    """The spelling of a leaf; empty for a node with children, see ``spelling``."""

    def leaves(self) -> Iterator[Node]:
        """The leaves below, or the node itself when it is one, in order."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if node.children:
                waiting.extend(reversed(node.children))
            elif node.kind != "program":  # one without anything in it
                yield node

    def spelling(self) -> str:
        """The text of the whole node."""
        return self.text or "".join([leaf.text for leaf in self.leaves()])

    def forms(self) -> tuple[Node, ...]:
        """The children that are forms: no blanks, comments, brackets or marks."""
        return tuple([child for child in self.children if child.kind not in _NO_FORM])

    def head(self) -> str:
        """The symbol that a list begins with; empty when it is no such list."""
        if self.kind == "list":
            for child in self.children[1:]:
                if child.kind not in BLANKS:
                    return child.text if child.kind == "symbol" else ""
        return ""

    @property
    def closed(self) -> bool:
        """Whether the bracket, or the brace of an interpolation, has its partner."""
        return bool(self.children) and self.children[-1].kind == "close"


def parse(text: str) -> Node:
    """The tree of ``text``; its kind is ``program``.

    A bracket that is never closed ends with the text, unless a line further on begins with a
    bracket: there a new top-level form is taken to begin, so that one half-typed form does not
    swallow those below it.
    """
    whole = range(len(text) + 1)
    builder = _Builder(text, text, whole)
    tree = builder.built()
    return tree if builder.complete else _Builder(text, text, whole, recovering=True).built()


@dataclass(slots=True)
class _Level:
    """A node under way. closer: what closes it; empty for the program and for marks."""

    kind: str
    closer: str
    start: int
    children: list[Node]
    filled: bool = False
    """A mark that has its form, and waits only for a ``?`` that belongs to the form."""


class _Builder:
    """Puts tokens together. Keeps its own stack, so depth is no danger.

    text: what to read; origins: where each of its characters, and its end, lies in ``source``.
    recovering: let a bracket that begins a line end all that is open.
    """

    def __init__(self, source: str, text: str, origins: Sequence[int], *, recovering: bool = False) -> None:
        self._source = source
        self._text = text
        self._origins = origins
        self._recovering = recovering
        self._levels = [_Level("program", "", origins[0], [])]
        self.complete = True
        """Whether every bracket so far has its partner."""

    def built(self) -> Node:
        """The tree of the whole text."""
        for token in lexemes(self._text):
            self._take(token)
        self._end_marks()
        self._end_down_to(1)
        return Node("program", self._origins[0], self._origins[-1], tuple(self._levels[0].children))

    def _take(self, token: Token) -> None:
        kind, start, end = token
        text = self._text[start:end]
        if kind in BLANKS:
            self._put(self._leaf(token))
            return
        if kind == "postfix":
            self._postfix(self._leaf(token))
            return
        self._end_filled_marks()
        if kind == "open":
            if self._recovering and (start == 0 or self._text[start - 1] == "\n"):
                self._end_marks()
                self._end_down_to(1)
            self._begin(_BRACKETED[text], BRACKETS[text], token)
        elif kind == "quote":
            self._begin(_MARKED[text], "", token)
        elif kind == "close":
            self._close(self._leaf(token), text)
        elif kind in ("illegal", "unclosed"):
            self._put(self._leaf(token))
        elif kind == "string" and "{" in text:
            self._put_form(self._interpolated(token))
        else:
            self._put_form(self._leaf(token))

    def _leaf(self, token: Token, kind: str = "") -> Node:
        start, end = self._origins[token.start], self._origins[token.end]
        return Node(kind or token.kind, start, end, (), self._source[start:end])

    def _put(self, node: Node) -> None:
        self._levels[-1].children.append(node)

    def _put_form(self, form: Node) -> None:
        level = self._levels[-1]
        level.children.append(form)
        level.filled = level.kind in _MARKS

    def _begin(self, kind: str, closer: str, token: Token) -> None:
        self._levels.append(_Level(kind, closer, self._origins[token.start], [self._leaf(token)]))

    def _end(self) -> None:
        """Make a node of the innermost level."""
        level = self._levels.pop()
        children, after = level.children, []
        while level.filled and children[-1].kind in BLANKS:
            after.append(children.pop())
        self._put_form(Node(level.kind, level.start, children[-1].end, tuple(children)))
        self._levels[-1].children.extend(reversed(after))

    def _end_filled_marks(self) -> None:
        while self._levels[-1].filled:
            self._end()

    def _end_marks(self) -> None:
        while self._levels[-1].kind in _MARKS:
            self._end()

    def _end_down_to(self, depth: int) -> None:
        """End levels without their closing brackets until only ``depth`` of them are open."""
        while len(self._levels) > depth:
            self.complete = False
            self._end()

    def _close(self, leaf: Node, closer: str) -> None:
        self._end_marks()
        for depth in range(len(self._levels), 0, -1):
            if self._levels[depth - 1].closer == closer:
                self._end_down_to(depth)
                self._put(leaf)
                self._end()
                return
        self.complete = False
        self._put(replace(leaf, kind="illegal"))

    def _postfix(self, mark: Node) -> None:
        """Wrap the form before a ``?``; of a form after marks the innermost that has none yet."""
        while True:
            children = self._levels[-1].children
            at = len(children) - 1
            while at >= 0 and children[at].kind in BLANKS:
                at -= 1
            if at >= 0 and children[at].kind not in _NO_FORM and children[at].kind != "propagate":
                inner = (*children[at:], mark)
                children[at:] = [Node("propagate", inner[0].start, mark.end, inner)]
                return
            if not self._levels[-1].filled:
                self._put(replace(mark, kind="illegal"))
                return
            self._end()

    def _interpolated(self, token: Token) -> Node:
        """A string with code in it."""
        start, end = token.start, token.end
        inner = self._origins[start + 1 : end]
        children = [self._leaf(Token("open", start, start + 1))]
        code: list[Node] = []  # the children of the interpolation under way
        for piece in pieces(self._text[start + 1 : end - 1]):
            if piece.kind == "code":
                builder = _Builder(self._source, piece.text, placed(piece.origins, inner))
                code.extend(builder.built().children)
                continue
            span = (inner[piece.start], inner[piece.end])
            leaf = Node(piece.kind, *span, (), self._source[slice(*span)])
            if piece.kind == "open":
                code = [leaf]
            elif piece.kind == "close":
                code.append(leaf)
                children.append(Node("interpolation", code[0].start, leaf.end, tuple(code)))
                code = []
            else:
                children.append(leaf)
        if code:
            children.append(Node("interpolation", code[0].start, code[-1].end, tuple(code)))
        children.append(self._leaf(Token("close", end - 1, end)))
        return Node("interpolated", children[0].start, children[-1].end, tuple(children))
