"""The patterns of ``let`` and of parameters: what can be taken apart, and of which types the parts are."""

from __future__ import annotations

from vcad_kernel.loon.checking.inference.infer import Inference
from vcad_kernel.loon.checking.types.display import worded
from vcad_kernel.loon.checking.types.types import (
    KEYWORD,
    TUPLE,
    UNIT,
    Con,
    Record,
    Scheme,
    Type,
    Var,
    mapping_of,
    prune,
    row_of,
    tuple_of,
)
from vcad_kernel.loon.syntax import Form, ListForm, MapForm, Symbol

__all__ = ["take_apart"]


def take_apart(inf: Inference, pattern: Form, term: Type, *, general: bool = False) -> None:
    """Bind the names of a pattern to the parts of a value.

    general: the value belongs to a definition that has just been left, and its own variables are anyone's.
    """
    match pattern:
        case Symbol(name="_"):
            return
        case Symbol():
            held: Scheme | Type = inf.generalised(term) if general else term
            inf.bind(pattern, held)
        case ListForm(items=items):
            for item, part in zip(items, _items(inf, pattern, term, len(items)), strict=True):
                take_apart(inf, item, part, general=general)
        case MapForm(items=items):
            for name, default in zip(items[::2], items[1::2], strict=True):
                assert isinstance(name, Symbol)
                part = _value(inf, pattern, term, name, default)
                take_apart(inf, name, part, general=general)


def _items(inf: Inference, pattern: Form, term: Type, count: int) -> list[Type]:
    """The types of the items of a vector or tuple; what is not there is unit."""
    term = prune(term)
    if isinstance(term, Var):
        parts: list[Type] = [Var(term.level) for _ in range(count)]
        inf.unify(term, tuple_of(parts))
        inf.settle(pattern)
        return parts
    if isinstance(term, Con) and term.name == "Vec":
        return [term.args[0]] * count
    if isinstance(term, Con) and term.name == TUPLE:
        return [*term.args[:count], *[UNIT] * (count - len(term.args))]
    _refuse(inf, pattern, term, "a vector or a tuple", "[a b]")
    return [inf.fresh() for _ in range(count)]


def _value(inf: Inference, pattern: Form, term: Type, name: Symbol, default: Form) -> Type:
    """The type of the value under a key; the default's where the key is known to be missing."""
    bare = isinstance(default, Symbol) and default.name == name.name
    term = prune(term)
    if isinstance(term, Var):
        inf.unify(term, mapping_of(KEYWORD, Var(term.level)))
        inf.settle(pattern)
        term = prune(term)
    otherwise = None if bare else inf.infer(default)
    held: Type | None = None
    if isinstance(term, Record):
        fields, tail = row_of(term)
        held = fields.get(name.name)
        if held is None and isinstance(tail, Var):
            held = Var(tail.level)
            inf.unify(term, Record({name.name: held}, Var(tail.level)))
        elif held is None and isinstance(tail, Con):
            held = tail.args[1]
    elif isinstance(term, Con) and term.name == "Map":
        inf.unify(term.args[0], KEYWORD)
        held = term.args[1]
    else:
        _refuse(inf, pattern, term, "a map", "{name default}")
        return inf.fresh()
    if held is None:
        return UNIT if otherwise is None else otherwise
    if otherwise is not None and inf.unify(held, otherwise) is not None:
        has, other = worded(held), worded(otherwise)
        inf.report(
            "E0200",
            f"the default of {name.name} is {other}, but the map holds {has}",
            [(default, other), (name, has)],
            why="what goes on with it must know its type",
            severity="hint",
        )
        return inf.fresh()
    inf.settle(default)
    return held


def _refuse(inf: Inference, pattern: Form, term: Type, wanted: str, shape: str) -> None:
    given = worded(term)
    inf.report(
        "E0200",
        f"the pattern {shape} takes {wanted} apart, got {given}",
        [(pattern, given)],
    )
