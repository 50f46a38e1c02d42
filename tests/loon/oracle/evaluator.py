"""A tree-walking evaluator of Loon written from the specification alone: obvious, and slow.

It takes the reader's forms with macros expanded. Every evaluation is a generator. Performing an
operation yields a request to whoever evaluates around it; what is sent back is the operation's value.
So the generator that waits is the continuation, and model D (§13) needs nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.loon.oracle.arithmetic import ARITHMETIC
from tests.loon.oracle.collections import COLLECTIONS
from tests.loon.oracle.scopes import Scope, bind
from tests.loon.oracle.texts import TEXTS
from tests.loon.oracle.values import (
    UNIT,
    Adt,
    Builtin,
    Fault,
    Function,
    Keyword,
    MapValue,
    SetValue,
    Tup,
    Value,
    Vec,
    added,
    put,
    raw,
)
from vcad_kernel.loon.syntax import (
    BoolLit,
    FloatLit,
    Form,
    Interpolation,
    IntLit,
    KeywordLit,
    ListForm,
    MapForm,
    SetForm,
    StringLit,
    Symbol,
    TupleForm,
    VectorForm,
)

__all__ = ["Evaluator", "OutOfFuel", "Request", "Steps", "constructors"]


@dataclass(frozen=True)
class Request:
    """An operation on its way out to its handler."""

    operation: str
    arguments: list[Value]


Steps = Generator[Request, Any, Any]
"""An evaluation under way."""

SpecialForm = Callable[["Evaluator", ListForm, Scope], Steps]


class OutOfFuel(Exception):
    """The program takes longer, or makes longer values, than is wanted here."""


class Evaluator:
    """One global environment."""

    def __init__(self, fuel: int = 2_000_000) -> None:
        # special_forms.py evaluates what lies in its forms with this class.
        from tests.loon.oracle.special_forms import SPECIAL_FORMS

        self._forms: dict[str, SpecialForm] = SPECIAL_FORMS
        self._fuel = fuel
        self.output: list[str] = []
        self.methods: dict[str, dict[str, tuple[list[Form], tuple[Form, ...]]]] = {}
        builtins = {one.name: one for one in (*ARITHMETIC, *TEXTS, *COLLECTIONS)}
        self.globals = Scope({**builtins, "HashMap.new": Builtin("HashMap.new", lambda *_: MapValue([]))})
        self.globals.names |= constructors([("Some", ["value"], None), ("None", [], None)])
        self.globals.names |= constructors([("Ok", ["value"], None), ("Err", ["error"], None)])

    def write(self, text: str) -> None:
        """Print."""
        self.output.append(text)

    def run(self, steps: Steps) -> Value:
        """The value of an evaluation around which nothing handles anything."""
        answer: Value = None
        while True:
            try:
                request = steps.send(answer)
            except StopIteration as end:
                return end.value
            if request.operation != "IO.println":
                raise Fault("unhandled-effect")
            self.write(" ".join(map(raw, request.arguments)) + "\n")
            answer = UNIT

    def evaluate(self, form: Form, scope: Scope) -> Steps:
        """Evaluate an expression."""
        self.burn()
        match form:
            case IntLit(value=value) | FloatLit(value=value) | BoolLit(value=value) | StringLit(value=value):
                return value
            case KeywordLit(name=name):
                return Keyword(name)
            case Symbol(name=name):
                return self._lookup(name, scope)
            case Interpolation(parts=parts):
                return "".join(map(raw, (yield from self.all_of(parts, scope))))
            case VectorForm(items=items):
                return Vec((yield from self.all_of(items, scope)))
            case TupleForm(items=items):
                return Tup((yield from self.all_of(items, scope)))
            case SetForm(items=items):
                held: list[Value] = []
                for value in (yield from self.all_of(items, scope)):
                    held = added(held, value)
                return SetValue(held)
            case MapForm(items=items):
                values = yield from self.all_of(items, scope)
                pairs: list[tuple[Value, Value]] = []
                for key, value in zip(values[::2], values[1::2], strict=True):
                    pairs = put(pairs, key, value)
                return MapValue(pairs)
            case ListForm(items=()):
                return UNIT
            case ListForm():
                return (yield from self._list(form, scope))
            case _:
                raise Fault("macro")

    def all_of(self, forms: Sequence[Form], scope: Scope) -> Steps:
        """The values of forms, evaluated from left to right."""
        values = []
        for form in forms:
            values.append((yield from self.evaluate(form, scope)))
        return values

    def body(self, forms: Sequence[Form], scope: Scope) -> Steps:
        """The value of the last form; unit if there is none."""
        value: Value = UNIT
        for form in forms:
            value = yield from self.evaluate(form, scope)
        return value

    def call(self, function: Value, arguments: list[Value]) -> Steps:
        """Apply a function."""
        self.burn()
        if isinstance(function, Builtin):
            if len(arguments) < function.least:
                raise Fault("arity")
            value = function.call(self, *arguments)
            if isinstance(value, Generator):
                value = yield from value
            self._weigh(value)
            return value
        if not isinstance(function, Function):
            raise Fault("not-callable")
        for clause in function.clauses:
            if clause.fits(len(arguments)):
                scope = Scope(dict(function.captured), self.globals)
                for parameter, argument in zip(clause.parameters, arguments, strict=False):
                    yield from bind(self, parameter, argument, scope)
                if clause.rest is not None:
                    scope.names[clause.rest] = Vec(arguments[len(clause.parameters) :])
                return (yield from self.body(clause.body, scope))
        raise Fault("arity")

    def _list(self, form: ListForm, scope: Scope) -> Steps:
        head, *operands = form.items
        if isinstance(head, Symbol):
            special = self._forms.get(head.name)
            if special is not None:
                return (yield from special(self, form, scope))
            if head.name[:1].isupper() and "." in head.name:
                return (yield Request(head.name, (yield from self.all_of(operands, scope))))
        function = yield from self.evaluate(head, scope)
        return (yield from self.call(function, (yield from self.all_of(operands, scope))))

    def _lookup(self, name: str, scope: Scope) -> Value:
        value = scope.find(name)
        if value is not None:
            return value
        whole, dot, part = name.partition(".")
        owner = scope.find(whole) if dot else None
        if isinstance(owner, Adt) and owner.names is not None and part in owner.names:
            return owner.fields[owner.names.index(part)]
        raise Fault("unbound-symbol")

    def burn(self, amount: int = 1) -> None:
        """Use fuel up."""
        self._fuel -= max(amount, 0)
        if self._fuel < 0:
            raise OutOfFuel

    def _weigh(self, value: Value) -> None:
        size = len(value) if isinstance(value, str) else len(value.items) if isinstance(value, Vec) else 0
        self.burn(size)


def constructors(variants: Sequence[tuple[str, list[str], list[str] | None]]) -> dict[str, Value]:
    """What variants bind (§14.1): tag, fields, and the fields' names if they are named."""
    out: dict[str, Value] = {}
    for tag, fields, names in variants:
        out[tag] = _constructor(tag, len(fields), names)
    return out


def _constructor(tag: str, count: int, names: list[str] | None) -> Value:
    def construct(_: Evaluator, *arguments: Value) -> Value:
        if names and len(arguments) == 1 and isinstance(arguments[0], MapValue):
            found = [arguments[0].find(Keyword(name)) for name in names]
            return Adt(tag, [UNIT if one is None else one[0] for one in found], names)
        if len(arguments) != count:
            raise Fault("arity")
        return Adt(tag, list(arguments), names)

    return Builtin(tag, construct) if count else Adt(tag, [])
