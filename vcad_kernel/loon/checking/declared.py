"""What a top-level form declares, read off its shape alone: the names it may bind, its types, traits
and signatures.

The checker needs them of the whole text before it looks at any form closely, so that a function may use
what is defined further down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from vcad_kernel.loon.shapes import Method, is_headed, methods_in
from vcad_kernel.loon.syntax import (
    Form,
    Interpolation,
    KeywordLit,
    ListForm,
    MapForm,
    SetForm,
    Symbol,
    TupleForm,
    VectorForm,
    is_constructor,
)

__all__ = [
    "Declared",
    "Declares",
    "Declaring",
    "TypeForm",
    "VariantForm",
    "type_form",
    "variants_of",
]


@dataclass(frozen=True, slots=True)
class VariantForm:
    """``[Name field … method …]``, or a bare name."""

    name: Symbol
    form: Form
    fields: tuple[Form, ...]
    names: tuple[str, ...]
    """Of the fields; empty for those without a name."""
    methods: tuple[Method, ...]
    is_constant: bool


@dataclass(frozen=True, slots=True)
class TypeForm:
    """``[type Name param… variant…]``."""

    name: str
    params: tuple[str, ...]
    variants: tuple[VariantForm, ...]
    is_copy: bool


@dataclass(slots=True)
class Declared:
    """What one top-level form declares."""

    names: dict[str, None] = field(default_factory=dict)
    """Globals that it may bind, functions within functions included."""
    sets: dict[str, None] = field(default_factory=dict)
    """Globals that it gives another value, or makes if there are none of that name."""
    types: dict[str, TypeForm] = field(default_factory=dict)
    methods: dict[str, None] = field(default_factory=dict)
    """Names among these that methods of its types bind."""
    traits: dict[str, Mapping[str, tuple[Form, ...]]] = field(default_factory=dict)
    """Traits and, of each method, the forms of its result; none means unit."""
    impls: set[tuple[str, str]] = field(default_factory=set)
    signatures: dict[str, tuple[Form, ...]] = field(default_factory=dict)
    """By name, the forms of the type."""
    opened: dict[str, None] = field(default_factory=dict)
    """Names that ``use`` brings in, and prefixes (with their dot) of names."""
    last: str | None = None
    """The name that it binds as a ``let`` or ``fn`` at the top."""


class Declaring:
    """Reads a top-level form; each special form adds what it declares to ``found``.

    special: what special forms declare, by name.
    """

    def __init__(self, special: Mapping[str, Declares]) -> None:
        self.found = Declared()
        self._special = special

    def walk(self, form: Form, *, at_top: bool) -> None:
        """Note the globals that a form binds; ``at_top``: a ``let`` here is one."""
        match form:
            case ListForm(items=(Symbol(name=head), *operands)):
                declares = self._special.get(head)
                if declares is not None:
                    declares(self, tuple(operands), at_top)
                else:
                    self.each(operands, at_top=at_top)
            case (
                ListForm(items=items)
                | VectorForm(items=items)
                | SetForm(items=items)
                | TupleForm(items=items)
                | MapForm(items=items)
                | Interpolation(parts=items)
            ):
                self.each(items, at_top=at_top)

    def each(self, forms: Iterable[Form], *, at_top: bool) -> None:
        """Walk several forms."""
        for form in forms:
            if type(form) is not Symbol:
                self.walk(form, at_top=at_top)

    def function(self, operands: tuple[Form, ...]) -> None:
        """``name`` and parameters with a body, or several: what ``fn`` has behind it."""
        if operands and isinstance(operands[0], Symbol):
            self.found.names[operands[0].name] = None
        for operand in operands:
            self.each(operand.items if isinstance(operand, TupleForm) else (operand,), at_top=False)


Declares: TypeAlias = "Callable[[Declaring, tuple[Form, ...], bool], None]"
"""Notes what a special form declares, of its operands; the last says whether a ``let`` in it is global."""


def type_form(operands: tuple[Form, ...], *, is_copy: bool) -> TypeForm | None:
    """A ``type`` read off its operands."""
    if not operands or not isinstance(operands[0], Symbol):
        return None
    params = [
        operand.name
        for operand in operands[1:]
        if isinstance(operand, Symbol) and not is_constructor(operand.name)
    ]
    return TypeForm(operands[0].name, tuple(params), tuple(variants_of(operands[1:])), is_copy)


def variants_of(forms: Iterable[Form]) -> Iterator[VariantForm]:
    """The variants among the operands of a ``type``."""
    for form in forms:
        match form:
            case Symbol(name=name) if is_constructor(name):
                yield VariantForm(form, form, (), (), (), True)
            case ListForm(items=(Symbol() as symbol, *parts)):
                fields: list[Form] = []
                names: list[str] = []
                methods: list[Method] = []
                waiting = ""
                for part in parts:
                    if isinstance(part, KeywordLit):
                        waiting = part.name
                    elif is_headed(part, "fn"):
                        methods += methods_in([part])
                    else:
                        fields.append(part)
                        names.append(waiting)
                        waiting = ""
                yield VariantForm(symbol, form, tuple(fields), tuple(names), tuple(methods), False)
