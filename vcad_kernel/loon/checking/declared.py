"""What a top-level form declares, read off its shape alone: the names it may bind, its types, traits
and signatures.

The checker needs them of the whole text before it looks at any form closely, so that a function may use
what is defined further down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from vcad_kernel.loon.syntax import (
    Form,
    Interpolation,
    KeywordLit,
    ListForm,
    MapForm,
    SetForm,
    StringLit,
    Symbol,
    TupleForm,
    VectorForm,
)

__all__ = [
    "Declared",
    "TypeForm",
    "VariantForm",
    "declared_by",
    "is_constructor",
    "names_bound",
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
    methods: tuple[ListForm, ...]
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


def is_constructor(name: str) -> bool:
    """Whether a symbol is written like a constructor."""
    return "A" <= name[:1] <= "Z"


def declared_by(form: Form) -> Declared:
    """What a top-level form, with macros expanded, declares."""
    found = Declared()
    inner = form
    while isinstance(inner, ListForm) and inner.items and inner.items[0] == Symbol(0, 0, "pub"):
        rest = inner.items[1:]
        inner = rest[0] if len(rest) == 1 else ListForm(inner.start, inner.end, rest)
    match inner:
        case ListForm(items=(Symbol(name="let"), Symbol(name="mut"), Symbol(name=name), _, *_)):
            found.last = name
        case ListForm(items=(Symbol(name="let"), Symbol(name=name), _, *_)):
            found.last = name
        case ListForm(items=(Symbol(name="fn"), Symbol(name=name), *_)):
            found.last = name
        case ListForm(items=(Symbol(name="sig"), Symbol(name=name), *forms)):
            found.signatures[name] = tuple(forms[1:] if forms[:1] == [Symbol(0, 0, ":")] else forms)
        case ListForm(items=(Symbol(name="trait"), Symbol(name=name), *methods)):
            found.traits[name] = dict(_trait_methods(methods))
        case ListForm(items=(Symbol(name="use"), Symbol(name=name), *how)):
            found.opened = dict.fromkeys(_opened(name, how))
    _walk(inner, found, at_top=True)
    return found


def names_bound(pattern: Form) -> Iterator[Symbol]:
    """The symbols that a pattern of ``let`` or of a parameter binds."""
    match pattern:
        case Symbol(name="_"):
            return
        case Symbol():
            yield pattern
        case ListForm(items=items):
            for item in items:
                yield from names_bound(item)
        case MapForm(items=items):
            for item in items[::2]:
                if isinstance(item, Symbol):
                    yield item


def _trait_methods(methods: list[Form]) -> Iterator[tuple[str, tuple[Form, ...]]]:
    arrow = Symbol(0, 0, "->")
    for method in methods:
        match method:
            case ListForm(items=(Symbol(name="fn"), Symbol(name=name), *rest)):
                yield name, tuple(rest[rest.index(arrow) + 1 :]) if arrow in rest else ()


def _opened(module: str, how: list[Form]) -> Iterator[str]:
    match how:
        case [KeywordLit(name="as"), Symbol(name=alias), *_]:
            yield alias + "."
        case [ListForm(items=items) | VectorForm(items=items), *_]:
            for item in items:
                if isinstance(item, Symbol):
                    yield item.name
        case _:
            yield module + "."


def _walk(form: Form, found: Declared, *, at_top: bool) -> None:
    """Note the globals that a form binds; ``at_top``: a ``let`` here is one."""
    match form:
        case ListForm(items=(Symbol(name=head), *operands)):
            handler = _HANDLERS.get(head)
            if handler is not None:
                handler(tuple(operands), found, at_top)
            else:
                _each(operands, found, at_top=at_top)
        case ListForm(items=items) | VectorForm(items=items) | SetForm(items=items) | TupleForm(items=items):
            _each(items, found, at_top=at_top)
        case MapForm(items=items):
            _each(items, found, at_top=at_top)
        case Interpolation(parts=parts):
            _each(parts, found, at_top=at_top)


def _each(forms: tuple[Form, ...] | list[Form], found: Declared, *, at_top: bool) -> None:
    for form in forms:
        if type(form) is not Symbol:
            _walk(form, found, at_top=at_top)


def _let(operands: tuple[Form, ...], found: Declared, at_top: bool) -> None:
    if operands[:1] == (Symbol(0, 0, "mut"),):
        operands = operands[1:]
    _each(operands[1:2], found, at_top=at_top)
    if at_top and operands:
        found.names.update((symbol.name, None) for symbol in names_bound(operands[0]))


def _set(operands: tuple[Form, ...], found: Declared, at_top: bool) -> None:
    _each(operands[1:], found, at_top=at_top)
    if at_top and operands and isinstance(operands[0], Symbol):
        found.sets[operands[0].name] = None


def _fn(operands: tuple[Form, ...], found: Declared, _at_top: bool) -> None:
    if operands and isinstance(operands[0], Symbol):
        found.names[operands[0].name] = None
    for operand in operands:
        items = operand.items if isinstance(operand, TupleForm) else (operand,)
        _each(items, found, at_top=False)


def _test(operands: tuple[Form, ...], found: Declared, at_top: bool) -> None:
    if operands[:1] == (Symbol(0, 0, "fn"),):
        operands = operands[1:]
    if operands and isinstance(operands[0], StringLit):
        operands = (Symbol(0, 0, operands[0].value), *operands[1:])
    _fn(operands, found, at_top)


def _match(operands: tuple[Form, ...], found: Declared, at_top: bool) -> None:
    _each(operands[:1], found, at_top=at_top)
    _each(operands[1:], found, at_top=False)


def _type(operands: tuple[Form, ...], found: Declared, _at_top: bool) -> None:
    declared = _type_form(operands, is_copy=False)
    if declared is None:
        return
    found.types[declared.name] = declared
    for variant in declared.variants:
        found.names[variant.name.name] = None
        for method in variant.methods:
            _fn(method.items[1:], found, False)
            if len(method.items) > 1 and isinstance(method.items[1], Symbol):
                found.methods[method.items[1].name] = None


def _type_form(operands: tuple[Form, ...], *, is_copy: bool) -> TypeForm | None:
    if not operands or not isinstance(operands[0], Symbol):
        return None
    params = [one.name for one in operands[1:] if isinstance(one, Symbol) and not is_constructor(one.name)]
    return TypeForm(operands[0].name, tuple(params), tuple(variants_of(operands[1:])), is_copy)


def variants_of(forms: tuple[Form, ...]) -> Iterator[VariantForm]:
    """The variants among the operands of a ``type``."""
    for form in forms:
        match form:
            case Symbol(name=name) if is_constructor(name):
                yield VariantForm(form, form, (), (), (), True)
            case ListForm(items=(Symbol() as symbol, *parts)):
                fields: list[Form] = []
                names: list[str] = []
                methods: list[ListForm] = []
                waiting = ""
                for part in parts:
                    if isinstance(part, KeywordLit):
                        waiting = part.name
                    elif isinstance(part, ListForm) and part.items[:1] == (Symbol(0, 0, "fn"),):
                        methods.append(part)
                    else:
                        fields.append(part)
                        names.append(waiting)
                        waiting = ""
                yield VariantForm(symbol, form, tuple(fields), tuple(names), tuple(methods), False)


def _impl(operands: tuple[Form, ...], found: Declared, _at_top: bool) -> None:
    match operands:
        case (Symbol(name=trait), Symbol(name=owner), *methods):
            found.impls.add((trait, owner))
            for method in methods:
                match method:
                    case ListForm(items=(Symbol(name="fn"), Symbol(name=name), *rest)):
                        found.names[f"{owner}.{name}"] = None
                        _each(rest, found, at_top=False)


def _derive(operands: tuple[Form, ...], found: Declared, at_top: bool) -> None:
    match operands:
        case (Symbol(name=trait), ListForm(items=(Symbol(name="type"), *parts)), *_):
            _type(tuple(parts), found, at_top)
            declared = _type_form(tuple(parts), is_copy=trait == "Copy")
            if declared is not None:
                found.types[declared.name] = declared
        case _:
            _each(operands, found, at_top=at_top)


def _handle(operands: tuple[Form, ...], found: Declared, at_top: bool) -> None:
    _each(operands[:1], found, at_top=at_top)
    _each(operands[2::2], found, at_top=False)


def _nothing(_operands: tuple[Form, ...], _found: Declared, _at_top: bool) -> None:
    """Declarations without code in them."""


_HANDLERS = {
    "let": _let,
    "set!": _set,
    "fn": _fn,
    "test": _test,
    "match": _match,
    "type": _type,
    "impl": _impl,
    "derive": _derive,
    "handle": _handle,
    **dict.fromkeys(("sig", "trait", "effect", "macro", "macro+", "macroexpand", "use"), _nothing),
}
