"""Local scopes (§5) and patterns that bind (§7) or match (§9) for the reference evaluator."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.loon.oracle.values import UNIT, Adt, Fault, Keyword, MapValue, Tup, Value, Vec, equal, truthy
from vcad_kernel.loon.syntax import (
    BoolLit,
    FloatLit,
    Form,
    IntLit,
    KeywordLit,
    ListForm,
    MapForm,
    StringLit,
    Symbol,
)

if TYPE_CHECKING:
    from tests.loon.oracle.evaluator import Evaluator, Steps

__all__ = ["Scope", "bind", "binds", "match"]


@dataclass(eq=False)
class Scope:
    """The names of a call, an arm or a clause; the outermost scope is that of the globals."""

    names: dict[str, Value] = field(default_factory=dict)
    outer: Scope | None = None

    def holder(self, name: str) -> Scope | None:
        """The nearest scope with a name."""
        scope: Scope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.outer
        return scope

    def find(self, name: str) -> Value | None:
        """The value of a name; no value is None."""
        holder = self.holder(name)
        return None if holder is None else holder.names[name]

    def locals(self) -> dict[str, Value]:
        """What a closure made here takes along: all names but the globals."""
        if self.outer is None:
            return {}
        return {**self.outer.locals(), **self.names}


def binds(pattern: Form) -> bool:
    """Whether a form is a pattern of ``let`` and of parameters."""
    match pattern:
        case Symbol():
            return True
        case ListForm(items=items):
            return all(map(binds, items))
        case MapForm(items=items):
            return all(isinstance(name, Symbol) for name in items[::2])
        case _:
            return False


def bind(ev: Evaluator, pattern: Form, value: Value, scope: Scope) -> Steps:
    """Bind the names of a pattern in a scope."""
    match pattern:
        case Symbol(name=name):
            if name != "_":
                scope.names[name] = value
        case ListForm(items=items):
            if not isinstance(value, Vec | Tup):
                raise Fault("type")
            for at, item in enumerate(items):
                yield from bind(ev, item, value.items[at] if at < len(value.items) else UNIT, scope)
        case MapForm(items=items):
            if not isinstance(value, MapValue):
                raise Fault("type")
            for key, default in zip(items[::2], items[1::2], strict=True):
                assert isinstance(key, Symbol)
                found = value.find(Keyword(key.name))
                if found is not None:
                    scope.names[key.name] = found[0]
                elif key == default:
                    scope.names[key.name] = UNIT
                else:
                    scope.names[key.name] = yield from ev.evaluate(default, scope)
        case _:
            raise AssertionError(pattern)


def match(ev: Evaluator, pattern: Form, value: Value, around: Scope, names: dict[str, Value]) -> Steps:
    """Whether a value fits a pattern of ``match``; ``names`` gains what the pattern binds."""
    match pattern:
        case Symbol(name="_"):
            return True
        case Symbol(name=name):
            constructor = around.find(name)
            if isinstance(constructor, Adt) and constructor.tag == name and not constructor.fields:
                return isinstance(value, Adt) and value.tag == name and not value.fields
            names[name] = value
            return True
        case (
            IntLit(value=literal)
            | FloatLit(value=literal)
            | BoolLit(value=literal)
            | StringLit(value=literal)
        ):
            return equal(literal, value)
        case KeywordLit(name=name):
            return equal(Keyword(name), value)
        case ListForm(items=(Symbol(name=tag), *parts)) if tag[:1].isupper():
            return (yield from _fields_match(ev, tag, parts, value, around, names))
        case ListForm(items=(_, *_)):
            return truthy((yield from ev.evaluate(pattern, around)))
        case _:
            return False


def _fields_match(
    ev: Evaluator, tag: str, parts: list[Form], value: Value, around: Scope, names: dict[str, Value]
) -> Steps:
    if not isinstance(value, Adt) or value.tag != tag or len(value.fields) != len(parts):
        return False
    for part, one in zip(parts, value.fields, strict=True):
        if not (yield from match(ev, part, one, around, names)):
            return False
    return True
