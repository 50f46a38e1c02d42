"""Types from text and from forms: ``(a -> b) -> Vec a -> Vec b``.

``scheme_of`` reads the notation of reference entries and of type displays. ``type_of_form`` reads the
types that a program writes in ``sig``, ``type`` and ``trait``.

In the notation ``Real`` and ``Count`` stand for a number of either kind, a fresh one each time;
``& a`` before the last arrow for any number of further arguments; ``|`` parts alternatives. A type's name
takes as many of the types that follow it as it has parameters, so ``Vec Vec a`` needs no parentheses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from vcad_kernel.loon.checking.types.types import (
    GENERIC,
    NUMBER_BOUNDS,
    UNIT,
    Con,
    Fn,
    Overload,
    Record,
    Scheme,
    Type,
    Var,
    set_of,
    tuple_of,
    vector_of,
)
from vcad_kernel.loon.syntax import (
    Form,
    KeywordLit,
    ListForm,
    MapForm,
    SetForm,
    Symbol,
    TupleForm,
    VectorForm,
)

__all__ = ["BUILT_IN", "Arity", "FormTypes", "scheme_of"]

Arity: TypeAlias = Callable[[str], int]
"""The number of parameters of a type by name; 0 for unknown ones."""

BUILT_IN: Final = {
    **dict.fromkeys(("Int", "Float", "Bool", "String", "Keyword"), 0),
    "Vec": 1,
    "Set": 1,
    "Map": 2,
    "Sender": 1,
    "Receiver": 1,
}
"""The types that need no definition, with the number of their parameters."""

_OTHER_NAMES: Final = {"Num": "Int", "Unit": "()"}
_TOKEN: Final = re.compile(r"->|→|=>|[A-Za-z_][A-Za-z0-9_?!*-]*|\(\)|[(){},:|&∀.]|\s+")


def scheme_of(text: str, arity: Arity) -> Scheme:
    """The scheme that a notation stands for.

    Raises: ValueError when the text is no notation.
    """
    return Scheme(_Reader(_tokens(text), arity).whole())


def _tokens(text: str) -> list[str]:
    tokens, at = [], 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise ValueError(f"{text!r} is no type: {text[at]!r} at {at}")
        at = token.end()
        if not token.group().isspace():
            tokens.append(token.group().replace("→", "->"))
    return tokens


def _named(name: str, args: Sequence[Type], arity: Arity, fresh: Callable[[], Type]) -> Con:
    """A named type with as many arguments as it has parameters; what is not given may be anything."""
    name = _OTHER_NAMES.get(name, name)
    wanted = BUILT_IN.get(name, -1)
    if wanted < 0:
        wanted = arity(name)
    if wanted == 0 and not args:
        return Con(name)
    given = [*args[:wanted]] if wanted else [*args]
    while len(given) < wanted:
        given.append(fresh())
    return Con(name, tuple(given))


@dataclass(slots=True)
class _Reader:
    """Reads a notation from its tokens, front to back."""

    tokens: list[str]
    arity: Arity
    at: int = 0
    variables: dict[str, Var] = field(default_factory=dict)

    def whole(self) -> Type:
        alternatives = [self.alternative()]
        while self.peek() == "|":
            self.at += 1
            alternatives.append(self.alternative())
        if self.peek():
            raise ValueError(f"{self.peek()!r} is left over after a type")
        return alternatives[0] if len(alternatives) == 1 else Overload(tuple(alternatives))

    def alternative(self) -> Type:
        self.variables = {}
        if self.peek() == "∀":
            while self.peek() and self.peek() != ".":
                self.at += 1
            self.expect(".")
        end = self.tokens.index("|", self.at) if "|" in self.tokens[self.at :] else len(self.tokens)
        if "=>" in self.tokens[self.at : end]:
            while True:
                trait, name = self.take(), self.take()
                self.variable(name).bounded(trait)
                if self.peek() != ",":
                    break
                self.at += 1
            self.expect("=>")
        return self.arrows()

    def arrows(self) -> Type:
        params: list[Type] = []
        rest: Type | None = None
        is_function = False
        if self.peek() == "->":
            self.at += 1
            is_function = True
        while True:
            if self.peek() == "&":
                self.at += 1
                rest = self.applied()
                self.expect("->")
                is_function = True
                continue
            term = self.applied()
            if self.peek() != "->":
                return Fn(tuple(params), term, rest) if is_function else term
            self.at += 1
            is_function = True
            params.append(term)

    def applied(self) -> Type:
        token = self.peek()
        if not (token[:1].isalpha() and token[0].isupper()):
            return self.atom()
        self.at += 1
        if token in NUMBER_BOUNDS:
            return Var(GENERIC).bounded(token)
        wanted = BUILT_IN[token] if token in BUILT_IN else self.arity(token)
        args = [self.applied() for _ in range(wanted)]
        return _named(token, args, self.arity, lambda: Var(GENERIC))

    def atom(self) -> Type:
        token = self.take()
        if token == "()":
            return UNIT
        if token == "(":
            items = [self.arrows()]
            while self.peek() == ",":
                self.at += 1
                items.append(self.arrows())
            self.expect(")")
            return items[0] if len(items) == 1 else tuple_of(items)
        if token == "{":
            return self.record()
        if token[:1].isalpha():
            return self.variable(token)
        raise ValueError(f"a type cannot begin with {token!r}")

    def record(self) -> Type:
        fields: dict[str, Type] = {}
        tail: Type | None = None
        while self.peek() != "}":
            name = self.take()
            if self.peek() == ":":
                self.at += 1
                fields[name] = self.arrows()
            else:
                tail = self.variable(name)
            if self.peek() == ",":
                self.at += 1
        self.expect("}")
        return Record(fields, tail)

    def variable(self, name: str) -> Var:
        return self.variables.setdefault(name, Var(GENERIC))

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def expect(self, token: str) -> None:
        if self.take() != token:
            raise ValueError(f"{token!r} is missing in a type: {' '.join(self.tokens)}")


@dataclass(slots=True)
class FormTypes:
    """Reads types written as forms.

    variables: what lower-case names stand for; a name not among them becomes a new variable there.
    own: the type under definition with its parameters, which may be named bare within itself.
    """

    arity: Arity
    fresh: Callable[[], Type]
    variables: dict[str, Type] = field(default_factory=dict)
    own: Con | None = None

    def one(self, form: Form) -> Type:
        """The type that a form stands for; anything at all where it is none."""
        match form:
            case Symbol(name=name) if name in self.variables:
                return self.variables[name]
            case Symbol(name=name) if name in NUMBER_BOUNDS:
                number = self.fresh()
                return number.bounded(name) if isinstance(number, Var) else number
            case Symbol(name=name) if name[0].isupper():
                return self._applied(name, ())
            case Symbol(name=name) if name[0].isalpha():
                return self.variables.setdefault(name, self.fresh())
            case ListForm(items=()) | TupleForm(items=()):
                return UNIT
            case ListForm(items=items) | TupleForm(items=items) if _ARROW in items:
                return self.several(items)
            case ListForm(items=(Symbol(name=name), *args)) if name[0].isupper():
                return self._applied(name, args)
            case ListForm(items=(only,)):
                return self.one(only)
            case TupleForm(items=items):
                return tuple_of([self.one(item) for item in items])
            case VectorForm(items=(item,)):
                return vector_of(self.one(item))
            case SetForm(items=(item,)):
                return set_of(self.one(item))
            case MapForm(items=items):
                return self._record(items)
            case _:
                return self.fresh()

    def several(self, forms: Sequence[Form]) -> Type:
        """The type that forms in a row stand for: types with arrows between them."""
        segments: list[list[Form]] = [[]]
        for form in forms:
            if form == _ARROW:
                segments.append([])
            else:
                segments[-1].append(form)
        *before, last = segments
        params = [self._segment(segment) for segment in before if segment]
        result = self._segment(last)
        return Fn(tuple(params), result) if before else result

    def _segment(self, forms: list[Form]) -> Type:
        """One type, maybe written without brackets: ``Vec Vec Int``."""
        if not forms:
            return UNIT
        if len(forms) == 1:
            return self.one(forms[0])
        waiting = list(reversed(forms))
        return self._juxtaposed(waiting)

    def _juxtaposed(self, waiting: list[Form]) -> Type:
        if not waiting:
            return self.fresh()
        form = waiting.pop()
        if not isinstance(form, Symbol):
            return self.one(form)
        wanted = BUILT_IN.get(form.name, -1)
        if wanted < 0:
            wanted = self.arity(form.name)
        if not wanted:
            return self.one(form)
        return _named(form.name, [self._juxtaposed(waiting) for _ in range(wanted)], self.arity, self.fresh)

    def _applied(self, name: str, args: Sequence[Form]) -> Type:
        if self.own is not None and name == self.own.name and not args:
            return self.own
        return _named(name, [self.one(arg) for arg in args], self.arity, self.fresh)

    def _record(self, items: tuple[Form, ...]) -> Type:
        fields: dict[str, Type] = {}
        for key, value in zip(items[::2], items[1::2], strict=True):
            if not isinstance(key, KeywordLit):
                return self.fresh()
            fields[key.name] = self.one(value)
        return Record(fields, None)


_ARROW: Final = Symbol(0, 0, "->")
