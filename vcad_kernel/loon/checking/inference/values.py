"""Literal collections: vectors and sets of one type, tuples, records and other maps; names with a dot, and
names that are not bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from vcad_kernel.loon.checking.findings import conversion
from vcad_kernel.loon.checking.inference.infer import Inference, clash_code
from vcad_kernel.loon.checking.inference.numbers import both_numbers
from vcad_kernel.loon.checking.types.display import worded
from vcad_kernel.loon.checking.types.types import (
    NUMBERS,
    STRING,
    Con,
    Fn,
    Overload,
    Record,
    Scheme,
    Type,
    Var,
    instance,
    mapping_of,
    prune,
    row_of,
    set_of,
    tuple_of,
    vector_of,
)
from vcad_kernel.loon.checking.types.unify import Clash
from vcad_kernel.loon.diagnostics import Advice, did_you_mean, to_write
from vcad_kernel.loon.guesses import LANGUAGE, close_to, in_brackets
from vcad_kernel.loon.syntax import (
    Form,
    Interpolation,
    KeywordLit,
    MapForm,
    SetForm,
    Symbol,
    TupleForm,
    VectorForm,
)

__all__ = ["COLLECTIONS", "missing_fields", "not_bound"]


def vector(inf: Inference, form: Form) -> Type:
    """``#[…]``: the items must be alike."""
    assert isinstance(form, VectorForm)
    return vector_of(_alike(inf, form.items, "a vector"))


def a_set(inf: Inference, form: Form) -> Type:
    """``#{…}``: so must they here."""
    assert isinstance(form, SetForm)
    return set_of(_alike(inf, form.items, "a set"))


def a_tuple(inf: Inference, form: Form) -> Type:
    """``(…)``: each item has its own type."""
    assert isinstance(form, TupleForm)
    terms = [inf.infer(item) for item in form.items]
    if terms and isinstance(form.items[0], Symbol):
        _like_a_call(inf, form, form.items[0], [prune(term) for term in terms])
    return tuple_of(terms)


def _like_a_call(inf: Inference, form: TupleForm, head: Symbol, terms: list[Type]) -> None:
    """Report a tuple that looks like a call: a function with as many values behind it as it takes."""
    callee, *values = terms
    if inf.origin(head.name) not in ("language", "library") or any(isinstance(term, Fn) for term in values):
        return
    alternatives = map(prune, callee.alternatives) if isinstance(callee, Overload) else (callee,)
    if not values or not any(isinstance(term, Fn) and term.takes(len(values)) for term in alternatives):
        return
    opened, closed = (form.start, form.start + 1, "["), (form.end - 1, form.end, "]")
    inf.report(
        "E0200",
        f"this is a tuple that begins with the function {head.name}, no call of it",
        [(form, worded(tuple_of(terms)))],
        why="round brackets make a tuple, square brackets call",
        fix=Advice(f"write [{head.name} …] in square brackets", (opened, closed)),
        severity="warning",
    )


def text(inf: Inference, form: Form) -> Type:
    """A string with expressions in it, which may be anything."""
    assert isinstance(form, Interpolation)
    for part in form.parts:
        inf.infer(part)
    return STRING


def a_map(inf: Inference, form: Form) -> Type:
    """``{…}``: a record if all keys are keywords, else keys alike and values alike."""
    assert isinstance(form, MapForm)
    keys, values = form.items[::2], form.items[1::2]
    if keys and all(isinstance(key, KeywordLit) for key in keys):
        fields: dict[str, Type] = {}
        for key, value in zip(keys, values, strict=True):
            assert isinstance(key, KeywordLit)
            fields[key.name] = inf.infer(value)
        return Record(fields, None)
    return mapping_of(_alike(inf, keys, "the keys of a map"), _alike(inf, values, "a map"))


def _alike(inf: Inference, items: tuple[Form, ...], where: str) -> Type:
    """The one type of items that must be alike."""
    whole: Type = inf.fresh()
    first: Form | None = None
    given = [inf.infer(item) for item in items]
    for item, term in zip(items, given, strict=True):
        clash = inf.unify(whole, term)
        if clash is None:
            inf.settle(item)
            first = first or item
        elif _may_mix(inf, whole) and _may_mix(inf, term):
            return inf.fresh()
        elif inf.names.tolerant:
            return _common(inf, given)
        else:
            _mixed(inf, clash, where, (first or item, whole), (item, term))
            return _common(inf, given) if both_numbers(clash) else inf.fresh()
    return whole


def _common(inf: Inference, given: Sequence[Type]) -> Type:
    """What is known of items that are not alike: a number where kinds of numbers differ, any type where more
    does; tuples and vectors of such parts stay tuples and vectors."""
    terms = [prune(term) for term in given]
    first = terms[0]
    if all(isinstance(term, Con) and term.name in NUMBERS for term in terms):
        return first if len({worded(term) for term in terms}) == 1 else Var(inf.names.level).bounded("Real")
    if isinstance(first, Con) and first.args:
        alike = [term for term in terms if isinstance(term, Con) and term.name == first.name]
        if len(alike) == len(terms) and len({len(term.args) for term in alike}) == 1:
            parts = zip(*(term.args for term in alike), strict=True)
            return Con(first.name, tuple(_common(inf, part) for part in parts))
    return first if all(term is first for term in terms) else inf.fresh()


def _may_mix(inf: Inference, term: Type) -> bool:
    """Values of a host library's types may stand together: it knows what to do with each."""
    term = prune(term)
    while isinstance(term, Con) and term.name == "Vec":
        term = prune(term.args[0])
    adt = inf.names.adt(term.name) if isinstance(term, Con) else None
    return adt is not None and adt.is_library


def _mixed(
    inf: Inference, clash: Clash, where: str, first: tuple[Form, Type], item: tuple[Form, Type]
) -> None:
    if clash.kind == "fields":
        missing_fields(inf, clash, item[0])
        return
    earlier, other = worded(first[1]), worded(item[1])
    what = f"{where} holds values of one type, but here are {earlier} and {other}"
    if earlier == other:
        what = f"the values in {where} have different types"
    fix = conversion(first[1], item[1], item[0])
    inf.report(
        clash_code(clash),
        what,
        [(item[0], other), (first[0], earlier)],
        why="whoever takes an item out must know its type",
        fix=fix
        if fix.text
        else "a tuple (a b) holds values of different types; a type of variants makes them one",
        severity="hint",
        runs=both_numbers(clash),
    )


def missing_fields(inf: Inference, clash: Clash, form: Form) -> None:
    """Report a record that lacks fields which are asked of it."""
    record = clash.given if isinstance(clash.given, Record) else clash.wanted
    having = [*row_of(record)[0]] if isinstance(record, Record) else []
    missing = " and ".join([f":{name}" for name in clash.fields])
    near = close_to(clash.fields[0], having) if clash.fields else None
    keys = ", ".join([f":{name}" for name in having]) or "none"
    inf.report(
        "E0207",
        f"this map has no {missing}; its keys: {keys}",
        [(form, worded(record))],
        why="a key that is not there gives unit",
        fix=f"did you mean :{near}?" if near else f"add {missing} where the map is made",
        severity="warning",
    )


def _that_fit(inf: Inference, called: bool) -> Iterator[str]:
    """The names that may stand where one is not bound: only what can be called is meant by a head."""
    if not called:
        yield from inf.all_names()
        return
    yield from inf.rules.special
    for name in inf.all_names():
        held = inf.lookup(name)
        term = held.type if isinstance(held, Scheme) else held
        if term is not None and isinstance(prune(term), Fn | Overload | Var):
            yield name


COLLECTIONS: Mapping[type[Form], Callable[[Inference, Form], Type]] = {
    VectorForm: vector,
    SetForm: a_set,
    TupleForm: a_tuple,
    MapForm: a_map,
    Interpolation: text,
}
"""Literals with forms in them, to what infers them."""


def not_bound(inf: Inference, symbol: Symbol, *, called: bool = False) -> Type:
    """The type of a name that is not bound as it stands: a field ``p.x``, or nothing.

    called: it is the head of a call, so what is meant may be called.
    """
    owner, dot, field = symbol.name.partition(".")
    held = inf.lookup(owner) if dot and owner and field else None
    if held is None:
        _report(inf, symbol, called)
        return inf.fresh()
    if inf.names.unqualified(symbol.name) and not [*inf.names.owners(field)]:
        known = inf.names.scheme(symbol.name, deferred=False)
        assert known is not None
        return inf.used(known)
    return _field(inf, symbol, prune(inf.used(held)), owner, field)


def _field(inf: Inference, symbol: Symbol, subject: Type, owner: str, field: str) -> Type:
    owners = [*inf.names.owners(field)]
    if isinstance(subject, Con):
        owners = [(adt, variant) for adt, variant in owners if adt.name == subject.name]
    elif not isinstance(subject, Var):
        owners = []
    elif len({adt.name for adt, _ in owners}) > 1:
        return inf.fresh()  # which type is meant shows only when the program runs
    types: list[Type] = []
    for _, variant in owners:
        term = instance(variant.pattern, inf.names.level)
        assert isinstance(term, Fn)
        if inf.unify(subject, term.result) is None:
            types.append(term.params[variant.names.index(field)])
    inf.settle(symbol)
    if not types:
        _no_field(inf, symbol, owner, field, subject)
        return inf.fresh()
    for other in types[1:]:
        if inf.unify(types[0], other) is not None:
            return inf.fresh()
    return types[0]


def _no_field(inf: Inference, symbol: Symbol, owner: str, field: str, subject: Type) -> None:
    fix: str | Advice = ""
    if isinstance(subject, Record):
        fix = f"[get {owner} :{field}] takes a value out of a map"
    elif isinstance(subject, Con):
        adt = inf.names.adt(subject.name)
        known = [name for variant in (adt.variants if adt else ()) for name in variant.names if name]
        near = close_to(field, known)
        if near:
            fix = did_you_mean(f"{owner}.{near}", symbol.start, symbol.end)
        elif known:
            fix = f"its fields are {', '.join(dict.fromkeys(known))}"
    inf.report(
        "E0201",
        f"{symbol.name} is not bound: {owner} is {worded(subject)}, which has no field {field}",
        [(symbol, "not bound")],
        why="a dot takes a field out of a value whose type names its fields",
        fix=fix,
    )


def _report(inf: Inference, symbol: Symbol, called: bool) -> None:
    name = symbol.name
    if inf.names.opened(name):
        return
    guesses = inf.names.guesses
    why = ""
    fix: str | Advice
    if name in inf.defines or (inf.functions == 0 and inf.names.scheme(name, deferred=True) is not None):
        why = "it is defined further down, and this form runs before that"
        fix = f"move the definition of {name} up"
    elif name in inf.rules.special:
        why = f"{name} is a form of the language, not a value"
        fix = f"write the form: [{name} …]"
    elif name.startswith("+") and name[1:].isdigit():
        fix = to_write(name[1:], symbol.start, symbol.end)
    elif name in guesses.words:
        ours = guesses.names.get(name)
        edits = ((symbol.start, symbol.end, ours),) if ours is not None else ()
        fix = Advice(guesses.words[name], edits)
        if not called and name not in LANGUAGE.words:
            fix = f"{fix.text}; a name of your own is bound first: [let {name} …]"
    else:
        bracketed = in_brackets(symbol, lambda part: inf.lookup(part) is not None)
        near = None if bracketed else close_to(name, _that_fit(inf, called))
        if near:
            fix = did_you_mean(near, symbol.start, symbol.end)
        else:
            fix = bracketed or f"bind it first: [let {name} …] or [fn {name} […] …]"
    inf.report("E0201", f"{name} is not bound", [(symbol, "not bound")], why=why, fix=fix, fails=symbol)
