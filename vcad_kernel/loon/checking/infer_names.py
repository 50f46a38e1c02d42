"""Names with a dot, and names that are not bound."""

from __future__ import annotations

from vcad_kernel.loon.checking.display import worded
from vcad_kernel.loon.checking.findings import closest
from vcad_kernel.loon.checking.infer import Inference
from vcad_kernel.loon.checking.types import Con, Fn, Record, Type, Var, instance, prune
from vcad_kernel.loon.syntax import Symbol

__all__ = ["not_bound"]


def not_bound(inf: Inference, symbol: Symbol) -> Type:
    """The type of a name that is not bound as it stands: a field ``p.x``, or nothing."""
    owner, dot, field = symbol.name.partition(".")
    held = inf.lookup(owner) if dot and owner and field else None
    if held is None:
        _report(inf, symbol)
        return inf.fresh()
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
    fix = ""
    if isinstance(subject, Record):
        fix = f"[get {owner} :{field}] takes a value out of a map"
    elif isinstance(subject, Con):
        adt = inf.names.adt(subject.name)
        known = [name for variant in (adt.variants if adt else ()) for name in variant.names if name]
        near = closest(field, lambda: known)
        if near:
            fix = f"did you mean {owner}.{near}?"
        elif known:
            fix = f"its fields are {', '.join(dict.fromkeys(known))}"
    inf.report(
        "E0201",
        f"{symbol.name} is not bound: {owner} is {worded(subject)}, which has no field {field}",
        [(symbol, "not bound")],
        why="a dot takes a field out of a value whose type names its fields",
        fix=fix,
    )


def _report(inf: Inference, symbol: Symbol) -> None:
    name = symbol.name
    if inf.names.opened(name):
        return
    why = ""
    if name in inf.defines or (inf.functions == 0 and inf.names.scheme(name, deferred=True) is not None):
        why = "it is defined further down, and this form runs before that"
        fix = f"move the definition of {name} up"
    elif name in inf.rules.special:
        why = f"{name} is a form of the language, not a value"
        fix = f"write the form: [{name} …]"
    elif name.startswith("+") and name[1:].isdigit():
        fix = f"write {name[1:]}"
    else:
        near = closest(name, inf.all_names)
        fix = f"did you mean {near}?" if near else f"bind it first: [let {name} …] or [fn {name} […] …]"
    inf.report("E0201", f"{name} is not bound", [(symbol, "not bound")], why=why, fix=fix)
