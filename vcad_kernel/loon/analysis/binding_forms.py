"""How each special form takes part in the walk: what it binds, defines and evaluates, in which order.

Forms that are half-typed bind what they already show.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from vcad_kernel.loon.analysis.bindings import Found, Global, Import, ScopeKind
from vcad_kernel.loon.analysis.forms import (
    COLLECTIONS,
    KEYWORD,
    LIST,
    SET,
    SYMBOL,
    TUPLE,
    arms_of,
    headed,
    inner_end,
    parts,
    usage_of,
)
from vcad_kernel.loon.analysis.patterns import bind_match_pattern, bind_pattern, expressions_in
from vcad_kernel.loon.analysis.scopes import SPECIAL, FormWalk, Walk, is_operation
from vcad_kernel.loon.concrete import Node

__all__ = ["walked"]

_RESUME = "handle gives it"
_MODULE = "a module is called like its file"
_EXPORT = "it is the name of an export of another file"


def walked(program: Node, macros: Collection[str], constructors: Collection[str]) -> Found:
    """The scopes, definitions and names of the top-level forms of a section.

    macros: those defined in the text, which win over special forms; constructors: the names that a bare
    symbol in a pattern is compared with rather than bound to.
    """
    walk = Walk(program, macros, constructors)
    walk.sequence(parts(program))
    return walk.found


def _special(*names: str) -> Callable[[FormWalk], FormWalk]:
    def register(walk: FormWalk) -> FormWalk:
        SPECIAL.update(dict.fromkeys(names, walk))
        return walk

    return register


# Variables and functions


@_special("let")
def _let(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    rest = items[1:]
    if len(rest) > 1 and rest[0].kind == SYMBOL and rest[0].text == "mut":
        rest = rest[1:]
    walk.sequence(rest[1:2])
    if rest:
        function = len(rest) > 1 and headed(rest[1], "fn") and parts(rest[1])[1:2]
        usage = usage_of(rest[0].text, function[0]) if function and function[0].kind == LIST else ""
        bind_pattern(walk, rest[0], "variable", node.end, node, usage)
    walk.sequence(rest[2:])


@_special("defparam")
def _defparam(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    walk.sequence(items[2:])
    if len(items) > 1 and items[1].kind == SYMBOL:
        walk.define(items[1], "value", "variable", node, items[1].text)


@_special("set!")
def _set(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    walk.sequence(items[2:])
    if len(items) > 1:
        if items[1].kind == SYMBOL and walk.scope.kind == "global":
            walk.define(items[1], "value", "variable", node, items[1].text)
        elif items[1].kind == SYMBOL:
            walk.use(items[1], plain=True)
        else:
            walk.code(items[1])


@_special("fn")
def _fn(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    rest = items[1:]
    if rest and rest[0].kind == SYMBOL:
        usage = " | ".join(usage_of(rest[0].text, one) for one in _parameter_lists(rest[1:]))
        walk.define(rest[0], "value", "function", node, usage or f"[{rest[0].text}]")
        rest = rest[1:]
    _clauses(walk, node, rest, "function")


@_special("test")
def _test(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    rest = items[1:]
    if len(rest) > 1 and rest[0].kind == SYMBOL and rest[0].text == "fn":
        rest = rest[1:]
    if rest and rest[0].kind == SYMBOL:
        walk.define(rest[0], "value", "test", node, f"[{rest[0].text}]")
    _clauses(walk, node, rest[1:], "function")


def _parameter_lists(rest: Sequence[Node]) -> Iterator[Node]:
    """The parameters of each arity, in what follows a function's name."""
    for node in rest:
        if node.kind == LIST:
            yield node
            return
        if node.kind != TUPLE:
            return
        yield from parts(node)[:1]


def _clauses(walk: Walk, node: Node, rest: Sequence[Node], scope: ScopeKind) -> None:
    """``[params] body…`` or ``([params] body…)…`` at the end of a form."""
    if rest and rest[0].kind == TUPLE:
        for one in rest:
            if one.kind == TUPLE:
                _clause(walk, one, parts(one), scope)
            else:
                walk.code(one)
    else:
        _clause(walk, node, rest, scope)


def _clause(walk: Walk, node: Node, rest: Sequence[Node], scope: ScopeKind) -> None:
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
    return all(one.kind == SYMBOL and one.text[:1].isupper() for one in named)


# Control


@_special("if")
def _if(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    del node
    walk.sequence(items[1:2])
    walk.either(items[2:3], items[3:4])
    walk.sequence(items[4:])


@_special("do", "mut", "inspect", "macroexpand")
def _operands(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    del node
    walk.sequence(items[1:])


@_special("catch-errors")
def _nothing(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    """What it holds is text."""


@_special("match")
def _match(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    walk.sequence(items[1:2])
    arms = list(arms_of(items))
    for at, arm in enumerate(arms):
        end = arms[at + 1].pattern.start if at + 1 < len(arms) else inner_end(node)
        walk.maybe(expressions_in(arm.pattern))
        outer = walk.enter("arm", arm.pattern.start, end)
        bind_match_pattern(walk, arm.pattern, node)
        if arm.guard is not None:
            walk.sequence(parts(arm.guard)[1:])
        if arm.body is not None:
            walk.code(arm.body)
        walk.leave(outer)


@_special("pipe")
def _pipe(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    del node
    walk.sequence(items[1:2])
    for step in items[2:]:
        if step.kind == LIST:
            head = parts(step)[:1]
            if head and head[0].kind == SYMBOL:
                walk.use(head[0])  # a name even if special forms or operations are written so
                walk.sequence(parts(step)[1:])
            else:
                walk.sequence(parts(step))
        else:
            walk.code(step)


@_special("try")
def _try(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    del node
    walk.sequence(items[2:])
    walk.maybe(items[1:2])


@_special("handle")
def _handle(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    walk.maybe(items[1:2])
    for at in range(2, len(items), 2):
        pattern = items[at]
        end = items[at + 2].start if at + 2 < len(items) else inner_end(node)
        names = parts(pattern) if pattern.kind == LIST else ()
        if names and names[0].kind == SYMBOL and is_operation(names[0].text):
            walk.operation(names[0])
            names = names[1:]
        outer = walk.enter("clause", pattern.start, end)
        walk.given("resume", "resume", pattern.end, _RESUME)
        for name in names:
            bind_pattern(walk, name, "pattern", name.end, node)
        walk.sequence(items[at + 1 : at + 2])
        walk.leave(outer)


# Types, effects, traits


@_special("type")
def _type(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    if len(items) < 2 or items[1].kind != SYMBOL:
        walk.sequence(items[1:])
        return
    name = items[1].text
    walk.define(items[1], "type", "type", node, name)
    outer = walk.enter("type", items[1].end, inner_end(node))
    for variant in items[2:]:
        if variant.kind == SYMBOL and variant.text[:1].isupper():
            walk.define(variant, "value", "constructor", variant, variant.text, owner=name)
        elif variant.kind == SYMBOL:
            walk.bind(variant, "type parameter", variant.text, variant.end, node)
        elif variant.kind == LIST:
            _variant(walk, variant, name)
    walk.leave(outer)


def _variant(walk: Walk, node: Node, owner: str) -> None:
    items = parts(node)
    if not items or items[0].kind != SYMBOL:
        return
    fields = [one for one in items[1:] if not headed(one, "fn")]
    usage = " ".join(("[" + items[0].text, *(" ".join(one.spelling().split()) for one in fields)))
    walk.define(items[0], "value", "constructor", node, usage + "]", owner=owner)
    for field in items[1:]:
        if headed(field, "fn"):
            method = parts(field)
            if len(method) > 1 and method[1].kind == SYMBOL:
                usage = f"[{method[1].text} {owner.lower()}]"
                walk.define(method[1], "value", "method", field, usage, owner=items[0].text)
                _clause(walk, field, method[2:], "method")
        else:
            _types(walk, (field,))


def _types(walk: Walk, nodes: Sequence[Node]) -> None:
    """Names of types."""
    for node in nodes:
        if node.kind == SYMBOL:
            walk.refer(node, "type")
        elif node.children:
            walk.deeper(lambda inner: _types(walk, parts(inner)), node)


@_special("sig")
def _sig(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    del node
    if len(items) > 1 and items[1].kind == SYMBOL:
        walk.use(items[1], plain=True)
    _types(walk, items[2:])


@_special("effect")
def _effect(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    if len(items) < 2 or items[1].kind != SYMBOL:
        return
    effect = items[1].text
    walk.define(items[1], "effect", "effect", node, effect)
    for one in items[2:]:
        declared = parts(one) if headed(one, "fn") else ()
        if len(declared) > 1 and declared[1].kind == SYMBOL:
            usage = usage_of(f"{effect}.{declared[1].text}", declared[2] if len(declared) > 2 else None)
            walk.define(declared[1], "operation", "operation", one, usage, prefix=effect + ".", owner=effect)
            _types(walk, declared[3:])


@_special("trait")
def _trait(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    if len(items) < 2 or items[1].kind != SYMBOL:
        return
    trait = items[1].text
    walk.define(items[1], "type", "trait", node, trait)
    for one in items[2:]:
        declared = parts(one) if headed(one, "fn") else ()
        if len(declared) > 1 and declared[1].kind == SYMBOL:
            usage = usage_of(declared[1].text, declared[2] if len(declared) > 2 else None)
            walk.define(declared[1], "type", "method", one, usage, prefix=trait + ".", owner=trait)
            _types(walk, declared[3:])


@_special("impl")
def _impl(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    del node
    _types(walk, items[1:3])
    if len(items) < 3 or items[1].kind != SYMBOL or items[2].kind != SYMBOL:
        return
    trait, owner = items[1].text, items[2].text
    for one in items[3:]:
        method = parts(one) if headed(one, "fn") else ()
        if len(method) > 1 and method[1].kind == SYMBOL:
            name = method[1].text
            usage = usage_of(f"{owner}.{name}", method[2] if len(method) > 2 else None)
            walk.define(method[1], "value", "method", one, usage, prefix=owner + ".", owner=owner)
            walk.found.links.append((Global("type", f"{trait}.{name}"), Global("value", f"{owner}.{name}")))
            _clauses(walk, one, method[2:], "function")


@_special("derive")
def _derive(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    del node
    _types(walk, items[1:2])
    walk.sequence(items[2:])


# Modules and macros


@_special("pub")
def _pub(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    inner = items[1:]
    if inner and inner[0].kind == SYMBOL and inner[0].text in SPECIAL:
        SPECIAL[inner[0].text](walk, node, inner)
    else:
        walk.sequence(inner)


@_special("use")
def _use(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    if len(items) < 2 or items[1].kind != SYMBOL:
        return
    path, alias = items[1], items[1]
    taken: list[Node] | None = None
    for at, one in enumerate(items[2:], 2):
        if one.kind == SYMBOL and items[at - 1].kind == KEYWORD:
            alias = one
        elif one.kind in COLLECTIONS or one.kind == LIST:
            taken = [name for name in parts(one) if name.kind == SYMBOL]
    walk.found.imports.append(Import(path.text, alias.text if taken is None else "", path.start, path.end))
    if taken is None:
        fixed = _MODULE if alias is path else ""
        walk.define(alias, "module", "module", node, alias.text, owner=path.text, fixed=fixed)
        return
    for name in taken:
        walk.define(name, "value", "import", node, name.text, owner=path.text, fixed=_EXPORT)


@_special("macro", "macro+")
def _macro(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    if len(items) < 2 or items[1].kind != SYMBOL:
        return
    usage = usage_of(items[1].text, items[2] if len(items) > 2 else None)
    walk.define(items[1], "value", "macro", node, usage)
    _clauses(walk, node, items[2:], "template")
