"""Types, traits and functions as the checker knows them once they are defined; which effects a function
performs (§17.2): by itself, and through the named functions that it calls.

A function's own part is read off its body while its types are inferred. What it calls is looked up when
asked, so a function that was redefined counts as what it is now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from vcad_kernel.loon.checking.declared import TypeForm
from vcad_kernel.loon.checking.types.notation import Arity, FormTypes
from vcad_kernel.loon.checking.types.types import (
    GENERIC,
    TUPLE,
    Con,
    Fn,
    Overload,
    Record,
    Scheme,
    Type,
    Var,
    prune,
)
from vcad_kernel.loon.syntax import Form

__all__ = [
    "BUILT_IN_TRAITS",
    "Adt",
    "Performs",
    "Step",
    "Trait",
    "Variant",
    "adt_of",
    "for_host",
    "is_copyable",
    "performed",
]


@dataclass(frozen=True, slots=True)
class Variant:
    """A constructor of a type."""

    name: str
    names: tuple[str, ...]
    """One per field; empty for fields without a name."""
    pattern: Scheme
    """From the fields by position to the type; of a constant, the type itself."""
    scheme: Scheme
    """What the constructor's name stands for: fields by position or, where they have names, a record."""
    is_constant: bool


@dataclass(frozen=True, slots=True)
class Adt:
    """A type of the program, of a library or of the language."""

    name: str
    arity: int
    variants: tuple[Variant, ...]
    is_copy: bool = False
    is_library: bool = False


@dataclass(frozen=True, slots=True)
class Trait:
    """A trait: of each method, the forms of its result."""

    name: str
    methods: Mapping[str, tuple[Form, ...]]


BUILT_IN_TRAITS: Mapping[str, frozenset[str]] = {
    "Add": frozenset({"Int", "Float"}),
    "Ord": frozenset({"Int", "Float"}),
    "Eq": frozenset({"Int", "Float", "Bool", "String", "Keyword"}),
    "Display": frozenset({"Int", "Float", "Bool", "String", "Keyword"}),
    "Copy": frozenset({"Int", "Float", "Bool", "Keyword"}),
}
"""The traits of the language and the types that have them."""


def adt_of(form: TypeForm, arity: Arity) -> Adt:
    """The type that a ``type`` form defines."""
    variants = []
    for variant in form.variants:
        params: dict[str, Type] = {name: Var(GENERIC) for name in form.params}
        own = Con(form.name, tuple(params.values()))
        reader = FormTypes(arity, lambda: Var(GENERIC), params, own)
        fields = tuple([reader.one(field) for field in variant.fields])
        if variant.is_constant:
            scheme = Scheme(own)
            variants.append(Variant(variant.name.name, (), scheme, scheme, True))
            continue
        by_position: Type = Fn(fields, own)
        whole = by_position
        if fields and all(variant.names):
            record = Record(dict(zip(variant.names, fields, strict=True)), None)
            whole = Overload((by_position, Fn((record,), own)))
        variants.append(Variant(variant.name.name, variant.names, Scheme(by_position), Scheme(whole), False))
    return Adt(form.name, len(form.params), tuple(variants), form.is_copy)


def for_host(adt: Adt) -> Adt:
    """A library's type: its values are plain data, and its numbers may be ints or floats."""
    variants = []
    for variant in adt.variants:
        pattern, scheme = (Scheme(_widened(held.type)) for held in (variant.pattern, variant.scheme))
        variants.append(Variant(variant.name, variant.names, pattern, scheme, variant.is_constant))
    return Adt(adt.name, adt.arity, tuple(variants), is_copy=True, is_library=True)


def _widened(term: Type) -> Type:
    term = prune(term)
    if isinstance(term, Con):
        bound = {"Float": "Real", "Int": "Count"}.get(term.name)
        if bound is not None:
            return Var(GENERIC).bounded(bound)
        return Con(term.name, tuple([_widened(arg) for arg in term.args]))
    if isinstance(term, Fn):
        return Fn(tuple([_widened(param) for param in term.params]), _widened(term.result))
    if isinstance(term, Overload):
        return Overload(tuple([_widened(alternative) for alternative in term.alternatives]))
    return term


def is_copyable(term: Type, adt: Callable[[str], Adt | None]) -> bool:
    """Whether values of a type are copied rather than handed over; so are those of unknown type."""
    term = prune(term)
    if isinstance(term, Var):
        return True
    if not isinstance(term, Con) or term.name == TUPLE:
        return False
    if term.name in BUILT_IN_TRAITS["Copy"] or term.name == "()":
        return True
    known = adt(term.name)
    return known is not None and known.is_copy


@dataclass(frozen=True, slots=True)
class Step:
    """Something that a function does: it performs an operation, or it calls a named function."""

    name: str
    is_call: bool
    handled: frozenset[str]
    """The operations that are handled around this place."""


Performs: TypeAlias = tuple[Step, ...]


def performed(steps: Iterable[Step], callee: Callable[[str], Sequence[Step] | None]) -> dict[str, str]:
    """The operations that reach the caller, each with the name of the function called for it, if any.

    callee: the steps of a named function; None for one that is not known, or does nothing.
    """
    given: dict[str, str] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [(step, step.handled, "") for step in steps]
    waiting.reverse()
    while waiting:
        step, handled, through = waiting.pop()
        if not step.is_call:
            if step.name not in handled:
                given.setdefault(step.name, through)
            continue
        if (step.name, handled) in seen:
            continue
        seen.add((step.name, handled))
        inner = callee(step.name) or ()
        waiting += [
            (performed, handled | performed.handled, through or step.name) for performed in reversed(inner)
        ]
    return given
