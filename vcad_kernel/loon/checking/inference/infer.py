"""Inferring the types of one top-level form: the state of the inference, names, literals and dispatch.

An Inference goes once over a form. Which function infers what is handed in as ``Rules``: special forms are
inferred by their own files in forms/, calls by infer_calls, literals by infer_collections. What a global of
another form means is asked of ``Names``, which may have to infer that form first.

Nothing here raises for a program that the reader accepts: a special form that is put together wrongly
has some type and no finding here, for it is found where it is lowered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple, TypeAlias

from vcad_kernel.loon import syntax
from vcad_kernel.loon.checking.definitions import BUILT_IN_TRAITS, Performs, Step
from vcad_kernel.loon.checking.findings import Finding, Mark
from vcad_kernel.loon.checking.inference.surroundings import Names
from vcad_kernel.loon.checking.known import Origin
from vcad_kernel.loon.checking.types.display import worded
from vcad_kernel.loon.checking.types.types import (
    BOOL,
    FLOAT,
    INT,
    KEYWORD,
    STRING,
    TUPLE,
    UNIT,
    Con,
    Scheme,
    Type,
    Var,
    generalised,
    instance,
    prune,
)
from vcad_kernel.loon.checking.types.unify import RIGID, Clash
from vcad_kernel.loon.diagnostics import Advice, Severity
from vcad_kernel.loon.syntax import Form, ListForm, Symbol, is_operation

__all__ = ["FormRule", "Inference", "Rules", "Scope", "clash_code"]

FormRule: TypeAlias = "Callable[[Inference, ListForm], Type]"
"""Infers a list of some kind."""


class Rules(NamedTuple):
    """Which function infers what."""

    special: Mapping[str, FormRule]
    """Special forms by name."""
    call: FormRule
    """Lists that are no special form."""
    collections: Mapping[type[Form], Callable[[Inference, Form], Type]]
    """Literals with forms in them."""
    unbound: Callable[[Inference, Symbol], Type]
    """Names that are not bound as they stand."""


class Scope:
    """Local names; those of the scopes around are behind them."""

    __slots__ = ("names", "parent", "performs")

    def __init__(self, parent: Scope | None) -> None:
        self.parent = parent
        self.names: dict[str, Scheme | Type] = {}
        self.performs: dict[str, Performs] = {}
        """What local functions perform when they are called."""

    def find(self, name: str) -> Scope | None:
        """The scope that holds a name."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope
            scope = scope.parent
        return None


class Inference:
    """The inference of one top-level form."""

    def __init__(self, names: Names, rules: Rules, defines: Iterable[str]) -> None:
        self.names = names
        self.rules = rules
        self.unifier = names.unifier
        self.base = names.level
        """The level of the form itself."""
        self.findings: list[Finding] = []
        self.scope: Scope | None = None
        """The innermost local scope; None where a ``let`` is global."""
        self.functions = 0
        """How many functions lie around the place under way: what they use is looked up when they run."""
        self.defines = frozenset(defines)
        """The globals that the form may bind."""
        self.defined: dict[str, Scheme | Type] = {}
        """Those that it has bound so far."""
        self._under_way: dict[str, tuple[int, Type | None]] = {}
        """Definitions begun: the level inside, and the type they have within themselves, once it matters."""
        self.pending: dict[str, Var] = {}
        """The types of globals that were used before this form binds them."""
        self.parameters: dict[str, tuple[str, ...]] = {}
        self.performs: dict[str, Performs] = {}
        self.promises: list[tuple[Symbol, frozenset[str], Performs]] = []
        """Functions with an effect set: their name, the set, and what they do."""
        self.steps: list[Step] = []
        """What the function under way performs and calls."""
        self.handled: frozenset[str] = frozenset()
        self.latent: dict[int, Performs] = {}
        """By identity of an anonymous function's form, what it performs when it is called."""
        self.binders: list[tuple[Symbol, Type]] = []
        """The symbols that bind variables, with their types."""
        self.equalities: list[tuple[tuple[Form, Type], tuple[Form, Type], str | None]] = []
        """What is compared for equality where one side is a number, each with what comes of it where they
        never are equal."""
        self.recorded: list[tuple[Form, Type]] | None = None
        """Every form with its type, where the caller asks for it."""

    # Types

    def fresh(self) -> Var:
        """A new variable."""
        return Var(self.names.level)

    def unify(self, wanted: Type, given: Type) -> Clash | None:
        """Make two types equal, or say what stands against it."""
        try:
            self.unifier.equal(wanted, given)
        except Clash as clash:
            return clash
        return None

    def settle(self, form: Form) -> None:
        """Check the traits that types must have by now; ``form`` is to blame where they do not."""
        if self.unifier.due:
            demanded = [*self.unifier.due]
            self.unifier.due.clear()
            self.must_have(demanded, form)

    def must_have(self, demanded: list[tuple[str, Type]], form: Form) -> bool:
        """Whether types have the traits demanded of them; those at a form that have not are reported."""
        lacking = [(trait, term) for trait, term in demanded if not self.has_trait(trait, term)]
        for trait, term in lacking:
            self._lacks(trait, term, form)
        return not lacking

    def has_trait(self, trait: str, term: Type) -> bool:
        """Whether a type has a trait; not asked of tuples, records and functions, and not for traits that
        is not defined."""
        term = prune(term)
        if not isinstance(term, Con) or term.name == TUPLE or term.name.startswith(RIGID):
            return True
        if trait not in BUILT_IN_TRAITS and self.names.trait(trait) is None:
            return True
        return term.name in BUILT_IN_TRAITS.get(trait, ()) or self.names.implements(trait, term.name)

    def _lacks(self, trait: str, term: Type, form: Form) -> None:
        name = worded(term)
        what, why, fix = _TRAITS.get(trait, (f"{name} does not implement {trait}", "", ""))
        self.report(
            "E0205",
            what.format(name),
            [(form, name)],
            why=why,
            fix=fix or f"[impl {trait} {name} …] would give it the trait",
            severity="hint" if trait in ("Eq", "Display") else "error",
            runs=trait in ("Eq", "Display"),
        )

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Inside a definition: variables made here are its own."""
        self.names.level += 1
        try:
            yield
        finally:
            self.names.level -= 1

    def generalised(self, term: Type) -> Scheme:
        """The scheme of a definition that has just been left."""
        return generalised(term, self.names.level)

    # Findings

    def report(
        self,
        code: str,
        what: str,
        marks: list[Mark],
        *,
        why: str = "",
        fix: str | Advice = "",
        severity: Severity = "error",
        runs: bool = False,
        fails: Form | None = None,
    ) -> None:
        """Note a finding; the first mark is its place.

        fails: the form whose failing is reported in these words when it is reached.

        runs: what is found works all the same, so a tolerant host need not report it.
        """
        if runs and self.names.tolerant:
            return
        advice = Advice(fix) if isinstance(fix, str) else fix
        self.findings.append(
            Finding(code, what, tuple(marks), why, advice.text, severity, fails, advice.edits)
        )

    # Names

    def symbol(self, symbol: Symbol) -> Type:
        """The type of a name where it is used."""
        bound = self.lookup(symbol.name)
        term = self.rules.unbound(self, symbol) if bound is None else self.used(bound)
        if self.recorded is not None:
            self.recorded.append((symbol, term))
        return term

    def used(self, held: Scheme | Type) -> Type:
        """The type of one use of what a name is bound to."""
        return instance(held, self.names.level) if isinstance(held, Scheme) else held

    def lookup(self, name: str) -> Scheme | Type | None:
        """What a name is bound to here."""
        if self.scope is not None:
            holder = self.scope.find(name)
            if holder is not None:
                return holder.names[name]
        deferred = self.functions > 0
        if deferred and name in self.defines:
            return self.meanwhile(name)
        known = self.defined.get(name)
        if known is None and self.names.unqualified(name) and self.lookup(name.partition(".")[0]) is not None:
            return None  # a field of the program's own value
        return self.names.scheme(name, deferred=deferred) if known is None else known

    def meanwhile(self, name: str) -> Scheme | Type:
        """The type of a global of this form while the form is under way."""
        if name in self._under_way:
            level, term = self._under_way[name]
            if term is None:
                term = Var(level)
                self._under_way[name] = (level, term)
            return term
        known = self.defined.get(name)
        if known is None:
            known = self.pending.get(name)
        if known is None:
            known = self.pending[name] = Var(self.base)
        return known

    def begin(self, name: str, term: Type | None) -> tuple[int, Type | None] | None:
        """Begin a global's definition; what was under way of that name is to be handed to ``end``.

        term: the type that it has within itself; None to find that out by how it is used.
        """
        outer = self._under_way.get(name)
        if name:
            self._under_way[name] = (self.names.level, term)
        return outer

    def end(self, name: str, outer: tuple[int, Type | None] | None) -> Type | None:
        """End a global's definition; gives the type that it had within itself, if it used itself."""
        if not name:
            return None
        used = self._under_way.pop(name)[1]
        if outer is not None:
            self._under_way[name] = outer
        return used

    def is_global(self, name: str) -> bool:
        """Whether a name is not a local variable here."""
        return self.scope is None or self.scope.find(name) is None

    def origin(self, name: str) -> Origin:
        """Whose a name is here: local names are the program's own."""
        return self.names.origin(name) if self.is_global(name) else "own"

    def all_names(self) -> Iterator[str]:
        """All names that are bound here, local ones first."""
        scope = self.scope
        while scope is not None:
            yield from scope.names
            scope = scope.parent
        yield from self.defined
        yield from self.names.names()

    def bind(self, symbol: Symbol, held: Scheme | Type) -> None:
        """Bind a variable in the innermost scope."""
        name = symbol.name
        term = held.type if isinstance(held, Scheme) else held
        self.binders.append((symbol, term))
        if self.recorded is not None:
            self.recorded.append((symbol, term))
        if self.scope is None:
            self.define(symbol, held)
        else:
            self.scope.names[name] = held
            self.scope.performs.pop(name, None)

    def define(self, symbol: Symbol, held: Scheme | Type) -> None:
        """Bind a global."""
        name = symbol.name
        waiting = self.pending.pop(name, None)
        if waiting is not None:
            term = self.used(held)
            clash = self.unify(waiting, term)
            if clash is not None:
                awaited, other = worded(waiting), worded(term)
                self.report(
                    clash_code(clash),
                    f"{name} is {other}, but {awaited} where it was used before",
                    [(symbol, other)],
                    why="within one form a name has one type until it is bound",
                )
            self.settle(symbol)
        self.defined[name] = held

    # Effects

    def calls(self, head: Symbol) -> None:
        """Note that a function is called, or handed to one that may call it."""
        name = head.name
        scope = None if self.scope is None else self.scope.find(name)
        if scope is None:
            self.steps.append(Step(name, True, self.handled))
        else:
            self.released(scope.performs.get(name, ()))

    def released(self, performs: Performs) -> None:
        """Note what a function performs that is called here."""
        self.steps += [Step(step.name, step.is_call, step.handled | self.handled) for step in performs]

    # Forms

    def infer(self, form: Form) -> Type:
        """The type of a form."""
        kind = type(form)
        if kind is Symbol:
            assert isinstance(form, Symbol)
            return self.symbol(form)
        if kind is ListForm:
            assert isinstance(form, ListForm)
            term = self._list(form)
        else:
            known = _LITERALS.get(kind)
            term = known if known is not None else self._collection(form, kind)
        if self.recorded is not None:
            self.recorded.append((form, term))
        return term

    def sequence(self, forms: Iterable[Form]) -> Type:
        """The type of the last of some forms; unit when there are none."""
        term: Type = UNIT
        for form in forms:
            term = self.infer(form)
        return term

    def _list(self, form: ListForm) -> Type:
        if not form.items:
            return UNIT
        head = form.items[0]
        if isinstance(head, Symbol):
            handler = self.rules.special.get(head.name)
            if handler is not None:
                return handler(self, form)
            if is_operation(head.name):
                for item in form.items[1:]:
                    self.infer(item)
                self.steps.append(Step(head.name, False, self.handled))
                return self.fresh()
        return self.rules.call(self, form)

    def _collection(self, form: Form, kind: type[Form]) -> Type:
        handler = self.rules.collections.get(kind)
        # Without one it is a stray quote, which fails when it runs.
        return handler(self, form) if handler is not None else self.fresh()


def clash_code(clash: Clash) -> str:
    """The code of a finding about types that cannot be one."""
    return {"types": "E0200", "count": "E0202", "circle": "E0203", "fields": "E0207"}[clash.kind]


_LITERALS: dict[type[Form], Type] = {
    syntax.IntLit: INT,
    syntax.FloatLit: FLOAT,
    syntax.BoolLit: BOOL,
    syntax.StringLit: STRING,
    syntax.KeywordLit: KEYWORD,
}

_TRAITS = {
    "Add": (
        "{} cannot be added or multiplied: that needs numbers",
        "+, - and * need Int or Float (trait Add)",
        "str joins strings; int and float read a number from one",
    ),
    "Ord": (
        "{} cannot be put in order: that needs numbers",
        "< > <= >= need two Int or two Float (trait Ord)",
        "sort orders strings too; int and float read a number from one",
    ),
    "Eq": (
        "{} has no equality that the checker knows of",
        "the trait Eq is known of Int, Float, Bool, String and Keyword; = itself compares any two values",
        "compare parts of it, or leave it: it runs",
    ),
}
