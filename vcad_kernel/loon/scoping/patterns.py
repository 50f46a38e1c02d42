"""How patterns bind: those of ``let`` (§7), those of ``match`` (§9), and functions' parameters (§8).

Also what else several special forms have in common: bodies of functions, and names of types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.scoping.bindings import LocalKind, ScopeKind
from vcad_kernel.loon.scoping.nodes import (
    INTERPOLATED,
    LIST,
    MAP,
    SET,
    SYMBOL,
    TUPLE,
    headed,
    inner_end,
    parts,
)
from vcad_kernel.loon.scoping.walk import Walk

__all__ = [
    "bind_match_pattern",
    "bind_pattern",
    "expressions_in",
    "methods_in",
    "parameter_lists",
    "walk_clause",
    "walk_clauses",
    "walk_types",
]

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
    """The lists and strings of a match pattern that are evaluated, in the scope around the match."""
    if pattern.kind == INTERPOLATED:
        yield pattern
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


def parameter_lists(rest: Sequence[Node]) -> Iterator[Node]:
    """The parameters of each arity, in what follows a function's name."""
    for node in rest:
        if node.kind == LIST:
            yield node
            return
        if node.kind != TUPLE:
            return
        yield from parts(node)[:1]


def walk_clauses(walk: Walk, node: Node, rest: Sequence[Node], scope: ScopeKind) -> None:
    """``[params] body…`` or ``([params] body…)…`` at the end of a form."""
    if rest and rest[0].kind == TUPLE:
        for part in rest:
            if part.kind == TUPLE:
                walk_clause(walk, part, parts(part), scope)
            else:
                walk.code(part)
    else:
        walk_clause(walk, node, rest, scope)


def walk_clause(walk: Walk, node: Node, rest: Sequence[Node], scope: ScopeKind) -> None:
    """``[params] #{effects} body…``, in the scope of a function."""
    if not rest:
        return
    outer = walk.enter(scope, rest[0].start, inner_end(node))
    body = rest
    if rest[0].kind == LIST:
        for parameter in parts(rest[0]):
            if not (parameter.kind == SYMBOL and parameter.text == "&"):
                bind_pattern(walk, parameter, "parameter", parameter.end, node)
        body = rest[1:]
    if body and body[0].kind == SET and _is_effects(parts(body[0]), len(body)):
        for effect in parts(body[0]):
            walk.refer(effect, "effect")
        body = body[1:]
    walk.sequence(body)
    walk.leave(outer)


def _is_effects(named: Sequence[Node], left: int) -> bool:
    """Whether a set after the parameters names effects; an empty one does if a body follows."""
    if not named:
        return left > 1
    return all(name.kind == SYMBOL and name.text[:1].isupper() for name in named)


def methods_in(nodes: Iterable[Node]) -> Iterator[tuple[Node, Sequence[Node], str]]:
    """The ``[fn name …]`` among the parts of a form: with their own parts, the name second, and its text."""
    for node in nodes:
        held = parts(node) if headed(node, "fn") else ()
        if len(held) > 1 and held[1].kind == SYMBOL:
            yield node, held, held[1].text


def walk_types(walk: Walk, nodes: Sequence[Node]) -> None:
    """Names of types."""
    for node in nodes:
        if node.kind == SYMBOL:
            walk.refer(node, "type")
        elif node.children:
            walk.deeper(lambda inner: walk_types(walk, parts(inner)), node)
