"""How patterns bind: those of ``let`` and parameters (§7), and those of ``match`` (§9)."""

from __future__ import annotations

from collections.abc import Iterator

from vcad_kernel.loon.analysis.bindings import LocalKind
from vcad_kernel.loon.analysis.forms import LIST, MAP, SYMBOL, parts
from vcad_kernel.loon.analysis.scopes import Walk
from vcad_kernel.loon.concrete import Node

__all__ = ["bind_match_pattern", "bind_pattern", "expressions_in"]

_KEY = "it is the key that a map is asked for; another name would read another key"


def bind_pattern(
    walk: Walk, node: Node, kind: LocalKind, visible_from: int, extent: Node, usage: str = ""
) -> None:
    """Bind the names of a ``let`` or a parameter, in order.

    visible_from: where the names can be used from; extent: the form that binds them.
    """
    if node.kind == SYMBOL:
        walk.bind(node, kind, usage or node.text, visible_from, extent)
    elif node.kind == LIST:
        for part in parts(node):
            bind_pattern(walk, part, kind, visible_from, extent)
    elif node.kind == MAP:
        items = parts(node)
        for at in range(0, len(items), 2):
            name, default = items[at], items[at + 1 : at + 2]
            if name.kind != SYMBOL:
                walk.sequence(items[at : at + 2])
                continue
            if default and not (default[0].kind == SYMBOL and default[0].text == name.text):
                walk.maybe(default)
            walk.bind(name, kind, name.text, visible_from, extent, _KEY)
    else:
        walk.code(node)  # not a pattern; in a template it may be one that is put in


def expressions_in(pattern: Node) -> Iterator[Node]:
    """The lists of a match pattern that are evaluated, in the scope around the match."""
    if pattern.kind != LIST:
        return
    items = parts(pattern)
    if not items:
        return
    if not _is_constructor(items[0]):
        yield pattern
        return
    for item in items[1:]:
        yield from expressions_in(item)


def bind_match_pattern(walk: Walk, node: Node, extent: Node) -> None:
    """Bind the names of a match pattern in the scope of its arm."""
    if node.kind == SYMBOL:
        name = node.text
        if name[:1].isupper() and name in walk.constructors:
            walk.constructor(node)
        else:
            walk.bind(node, "pattern", name, node.end, extent)
    elif node.kind == LIST:
        items = parts(node)
        if items and _is_constructor(items[0]):
            walk.constructor(items[0])
            for item in items[1:]:
                bind_match_pattern(walk, item, extent)


def _is_constructor(head: Node) -> bool:
    return head.kind == SYMBOL and head.text[:1].isupper()
