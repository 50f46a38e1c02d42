"""Which binding a name means: the walk over the forms of a section.

It follows the order of evaluation and the scopes of the language: functions, arms of ``match`` and clauses
of ``handle`` open one; ``if``, ``do``, ``pipe`` and literals do not, so a ``let`` in them binds around
them. A name is local only after its ``let``; where that may not have run, the name may also mean what it
meant before, and all these belong together. Globals are looked up late, so which definition one means is
not settled here but for the text as a whole (document.py).

What a special form binds is said by its own file in forms/; how patterns do, in patterns.py.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.scoping.bindings import (
    Definition,
    DefinitionKind,
    Found,
    Local,
    LocalKind,
    Occurrence,
    Scope,
    ScopeKind,
    Space,
)
from vcad_kernel.loon.scoping.nodes import LIST, SYMBOL, parts
from vcad_kernel.loon.syntax import is_operation

__all__ = ["DEEPEST", "FormWalk", "Walk"]

DEEPEST = 100
"""Forms that lie deeper in each other than this are not walked: Python's stack is not ours alone."""

FormWalk = Callable[["Walk", Node, Sequence[Node]], None]
"""How a special form is walked: the walk, the form, and the form's parts with its head."""


class Walk:
    """The state of a walk: the scope it stands in, and what it has found.

    special: how special forms are walked, by name; macros: those defined in the text, which win over special
    forms; constructors: the names that a bare symbol in a pattern is compared with rather than bound to.
    """

    def __init__(
        self,
        program: Node,
        special: Mapping[str, FormWalk],
        macros: Collection[str],
        constructors: Collection[str],
    ) -> None:
        self.special = special
        self.scope = Scope("global", program.start, program.end, None)
        self.found = Found(self.scope)
        self.constructors = constructors
        self._macros = macros
        self._depth = 0
        self._functions = 0
        self._doubts = 0

    # Code

    def code(self, node: Node) -> None:
        """An expression."""
        kind = node.kind
        if kind == SYMBOL:
            self.use(node)
        elif kind == LIST:
            self.deeper(self._list, node)
        elif node.children:
            self.deeper(self._contents, node)

    def sequence(self, nodes: Iterable[Node]) -> None:
        """Expressions one after the other."""
        for node in nodes:
            self.code(node)

    def deeper(self, walk: Callable[[Node], None], node: Node) -> None:
        """Walk into a node, unless it lies too deep."""
        if self._depth >= DEEPEST:
            self.found.whole = False
            return
        self._depth += 1
        walk(node)
        self._depth -= 1

    def _contents(self, node: Node) -> None:
        self.sequence(parts(node))

    def _list(self, node: Node) -> None:
        items = parts(node)
        if not items:
            return
        head = items[0]
        if head.kind == SYMBOL:
            name = head.text
            if name not in self._macros:
                special = self.special.get(name)
                if special is not None:
                    special(self, node, items)
                    return
                if is_operation(name):
                    self.operation(head)
                    self.sequence(items[1:])
                    return
        self.sequence(items)

    def maybe(self, nodes: Iterable[Node]) -> None:
        """Expressions that may not be evaluated: what they bind is bound only perhaps."""
        before = dict(self.scope.certain)
        self._doubts += 1
        self.sequence(nodes)
        self._doubts -= 1
        self.rejoin(before)

    def either(self, first: Iterable[Node], second: Iterable[Node]) -> None:
        """One of two courses: what both bind is bound for certain."""
        before = dict(self.scope.certain)
        self._doubts += 1
        self.sequence(first)
        after_first = self.scope.certain
        self.scope.certain = dict(before)
        self.sequence(second)
        self._doubts -= 1
        both = {name for name, certain in after_first.items() if certain and self.scope.certain.get(name)}
        self.scope.certain.update({name: False for name in after_first if name not in self.scope.certain})
        self.rejoin(before, both)

    def rejoin(self, before: dict[str, bool], both: Collection[str] = ()) -> None:
        """Doubt what is bound since ``before``, except the names bound on ``both`` courses."""
        certain = self.scope.certain
        for name in certain:
            certain[name] = before.get(name, False) or name in both

    # Scopes

    def enter(self, kind: ScopeKind, start: int, end: int) -> Scope:
        """Open a scope; give back the one it lies in, for leave."""
        outer = self.scope
        self.scope = Scope(kind, start, max(start, end), outer)
        outer.inner.append(self.scope)
        if kind in ("function", "method", "template"):
            self._functions += 1
        return outer

    def leave(self, outer: Scope) -> None:
        """Close the scope."""
        if self.scope.kind in ("function", "method", "template"):
            self._functions -= 1
        self.scope = outer

    # Names

    def use(self, node: Node, *, plain: bool = False) -> None:
        """A name that is looked up where it stands; with ``plain`` a dot in it means nothing."""
        name = node.text
        locals_, reaches_global = self._lookup(name)
        dot = -1 if plain else name.find(".", 1)
        if dot > 0 and not locals_:
            base, base_reaches_global = self._lookup(name[:dot])
            if base:
                self._add(
                    Occurrence(node.start, node.start + dot, name[:dot], "value", False),
                    base,
                    base_reaches_global,
                )
                return
        occurrence = Occurrence(node.start, node.end, name, "value", False, dotted=dot > 0)
        self._add(occurrence, locals_, reaches_global)

    def constructor(self, node: Node) -> None:
        """The constructor in a pattern: values are compared by its name, whatever is bound to it."""
        self._add(Occurrence(node.start, node.end, node.text, "value", False), (), True)

    def refer(self, node: Node, space: Space) -> None:
        """A name of another space than that of values: always global, but for type parameters."""
        binders: tuple[Local, ...] = ()
        if space == "type":
            binders = tuple(local for local in self._lookup(node.text)[0] if local.kind == "type parameter")
            if not binders and not node.text[:1].isupper():
                return
        self._add(Occurrence(node.start, node.end, node.text, space, False), binders, not binders)

    def operation(self, head: Node) -> None:
        """An ``Effect.operation``, performed or handled."""
        effect, dot, _ = head.text.partition(".")
        middle = head.start + len(effect)
        self._add(Occurrence(head.start, middle, effect, "effect", False), (), True)
        occurrence = Occurrence(middle + 1, head.end, head.text, "operation", False, prefix=effect + dot)
        self._add(occurrence, (), True)

    def bind(
        self, node: Node, kind: LocalKind, usage: str, visible_from: int, extent: Node, fixed: str = ""
    ) -> Occurrence | None:
        """Bind a name in the scope that holds here; at the top that defines a global variable."""
        name = node.text
        if name == "_":
            return None
        if self.scope.kind == "global":
            return self.define(node, "value", "variable", extent, usage, fixed=fixed)
        local = self.scope.slots.get(name)
        if local is None:
            local = Local(name, kind, self.scope, visible_from=visible_from, fixed=fixed)
            self.scope.slots[name] = local
        local.fixed = local.fixed or fixed
        self.scope.certain[name] = True
        space: Space = "type" if kind == "type parameter" else "value"
        occurrence = Occurrence(node.start, node.end, name, space, True)
        local.sites.append(occurrence)
        # What a template binds meets the names where it is put in.
        self._add(occurrence, (local,), self.scope.kind == "template" and kind != "parameter")
        return occurrence

    def given(self, name: str, kind: LocalKind, visible_from: int, fixed: str) -> None:
        """Bind a name that no place of the text defines."""
        self.scope.slots[name] = Local(name, kind, self.scope, visible_from=visible_from, fixed=fixed)
        self.scope.certain[name] = True

    def define(
        self,
        node: Node,
        space: Space,
        kind: DefinitionKind,
        extent: Node,
        usage: str,
        *,
        prefix: str = "",
        owner: str = "",
        fixed: str = "",
    ) -> Occurrence:
        """Define a global; ``prefix`` is what of its name does not stand here."""
        name = prefix + node.text
        occurrence = Occurrence(node.start, node.end, name, space, True, prefix=prefix)
        self._add(occurrence, (), True)
        certain = not self._functions and not self._doubts
        self.found.definitions.append(
            Definition(name, space, kind, occurrence, extent.start, extent.end, usage, certain, owner, fixed)
        )
        return occurrence

    def _lookup(self, name: str) -> tuple[tuple[Local, ...], bool]:
        """The locals that a name may mean here, nearest first, and whether it may be global."""
        locals_: list[Local] = []
        scope: Scope | None = self.scope
        while scope is not None:
            certain = scope.certain.get(name)
            if certain is not None:
                locals_.append(scope.slots[name])
                if certain:
                    return tuple(locals_), False
            scope = None if scope.closed else scope.outer
        return tuple(locals_), True

    def _add(self, occurrence: Occurrence, locals_: tuple[Local, ...], reaches_global: bool) -> None:
        occurrence.locals = locals_
        occurrence.reaches_global = reaches_global
        occurrence.deferred = self._functions > 0
        if locals_ and locals_[0].sites:
            occurrence.site = locals_[0].sites[-1]
        self.found.occurrences.append(occurrence)
