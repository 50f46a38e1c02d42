"""How the parts of special forms are put together: patterns, functions' clauses, the arms of a match.

Every stage reads them here, so that all agree on what stands where. Knows shapes alone: neither types nor
what anything compiles to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from vcad_kernel.loon.syntax import Form, ListForm, MapForm, SetForm, Symbol, TupleForm, is_constructor

__all__ = [
    "Arm",
    "BadForm",
    "Case",
    "Clause",
    "Method",
    "arms_of",
    "behind_pub",
    "body_after_effects",
    "cases_of",
    "check_pattern",
    "clause_of",
    "clauses_of",
    "is_headed",
    "is_pattern",
    "methods_in",
    "names_in",
]

_T = TypeVar("_T")


class BadForm(Exception):
    """A special form that is put together wrongly."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def is_headed(form: Form, name: str) -> bool:
    """Whether a form is a list that begins with this symbol."""
    if not isinstance(form, ListForm) or not form.items:
        return False
    head = form.items[0]
    return isinstance(head, Symbol) and head.name == name


def behind_pub(form: Form) -> Form:
    """The definition that ``pub`` stands before, in brackets of its own or without; else the form itself."""
    while is_headed(form, "pub"):
        assert isinstance(form, ListForm)
        inner = form.items[1:]
        form = inner[0] if len(inner) == 1 else ListForm(form.start, form.end, inner)
    return form


# Patterns of let and of parameters


def check_pattern(pattern: Form) -> None:
    """Raise BadForm unless a form can stand as the pattern of a let or a parameter."""
    match pattern:
        case Symbol():
            return
        case ListForm():
            for part in pattern.items:
                check_pattern(part)
        case MapForm():
            for name in pattern.items[::2]:
                if not isinstance(name, Symbol):
                    raise BadForm("a map pattern pairs names with defaults: {w 1 h h}")
        case _:
            raise BadForm("only names, [a b …] and {name default …} can be bound")


def is_pattern(form: Form) -> bool:
    """Whether a form can be bound."""
    try:
        check_pattern(form)
    except BadForm:
        return False
    return True


def names_in(pattern: Form) -> Iterator[Symbol]:
    """The symbols that a pattern binds; none for what is no pattern."""
    match pattern:
        case Symbol(name="_"):
            return
        case Symbol():
            yield pattern
        case ListForm(items=items):
            for item in items:
                yield from names_in(item)
        case MapForm(items=items):
            for item in items[::2]:
                if isinstance(item, Symbol):
                    yield item


# Functions


@dataclass(frozen=True, slots=True)
class Clause:
    """Parameters and body of one arity; ``rest`` names the parameter that takes what is left."""

    parameters: tuple[Form, ...]
    rest: Symbol | None
    body: tuple[Form, ...]


def clauses_of(operands: Sequence[Form]) -> list[Clause]:
    """The clauses of a named function. Raises: BadForm."""
    if operands and isinstance(operands[0], TupleForm):
        clauses = []
        for operand in operands:
            if not isinstance(operand, TupleForm) or len(operand.items) < 2:
                raise BadForm("a clause of a function is ([params] body …)")
            clauses.append(clause_of(operand.items))
        return clauses
    return [clause_of(operands)]


def clause_of(operands: Sequence[Form]) -> Clause:
    """A clause from ``[params] #{effects} body…``; raises BadForm."""
    if not operands or not isinstance(operands[0], ListForm):
        raise BadForm("a function's parameters stand in brackets: [fn name [a b] body]")
    items = operands[0].items
    rest: Symbol | None = None
    for index, item in enumerate(items):
        if isinstance(item, Symbol) and item.name == "&":
            last = items[index + 1] if len(items) == index + 2 else None
            if not isinstance(last, Symbol):
                raise BadForm("one name must follow & at the end of the parameters: [a & more]")
            items, rest = items[:index], last
            break
    for item in items:
        check_pattern(item)
    return Clause(items, rest, body_after_effects(operands[1:]))


def body_after_effects(forms: Sequence[Form]) -> tuple[Form, ...]:
    """The body without the effect set that may come first: names like IO, or nothing at all."""
    first = forms[0] if forms else None
    if isinstance(first, SetForm):
        named = all(isinstance(item, Symbol) and is_constructor(item.name) for item in first.items)
        if named and (first.items or len(forms) > 1):
            return tuple(forms[1:])
    return tuple(forms)


class Method(NamedTuple):
    """``[fn name …]`` within a form that holds methods."""

    form: ListForm
    name: Symbol
    operands: tuple[Form, ...]
    """What stands behind the name."""


def methods_in(forms: Iterable[Form]) -> Iterator[Method]:
    """The methods among the parts of a form."""
    for form in forms:
        match form:
            case ListForm(items=(Symbol(name="fn"), Symbol() as name, *operands)):
                yield Method(form, name, tuple(operands))


# The arms of a match


class Arm(NamedTuple, Generic[_T]):
    """An arm; the last may still lack its body."""

    pattern: _T
    guard: _T | None
    """``[when condition]``."""
    body: _T | None


def arms_of(parts: Sequence[_T], is_guard: Callable[[_T], bool]) -> Iterator[Arm[_T]]:
    """The arms in what follows the value of a ``match``: ``pattern body`` or ``pattern [when c] body``."""
    at = 0
    while at < len(parts):
        pattern, guard = parts[at], None
        at += 1
        if at < len(parts) and is_guard(parts[at]):
            guard = parts[at]
            at += 1
        yield Arm(pattern, guard, parts[at] if at < len(parts) else None)
        at += 1


@dataclass(frozen=True, slots=True)
class Case:
    """An arm of a match that can be taken."""

    pattern: Form
    guard: Form | None
    """The condition in its guard."""
    body: Form


def cases_of(operands: Sequence[Form]) -> list[Case]:
    """The cases after the value of a ``match``. Raises: BadForm."""
    cases = []
    for pattern, guard, body in arms_of(operands, lambda form: is_headed(form, "when")):
        condition = None
        if guard is not None:
            assert isinstance(guard, ListForm)
            if len(guard.items) != 2:
                raise BadForm("a guard holds one condition: pattern [when condition] body")
            condition = guard.items[1]
        if body is not None:  # a pattern at the end without a body is ignored
            cases.append(Case(pattern, condition, body))
    return cases
