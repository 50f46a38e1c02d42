"""``impl``: the methods of a trait for a type (§14.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vcad_kernel.loon.checking.declared import Declaring
from vcad_kernel.loon.checking.definitions import BUILT_IN_TRAITS
from vcad_kernel.loon.checking.findings import conversion
from vcad_kernel.loon.checking.inference.functions import fill, shape_of
from vcad_kernel.loon.checking.inference.infer import Inference, clash_code
from vcad_kernel.loon.checking.ownership.owners import Owners, Owning
from vcad_kernel.loon.checking.types.display import worded
from vcad_kernel.loon.checking.types.notation import BUILT_IN, FormTypes
from vcad_kernel.loon.checking.types.types import UNIT, Con, Type
from vcad_kernel.loon.diagnostics import did_you_mean
from vcad_kernel.loon.forms.record import SpecialForm, on_first_line, types_only
from vcad_kernel.loon.guesses import close_to
from vcad_kernel.loon.lowering.functions import define_global_function
from vcad_kernel.loon.lowering.lower import Destination, Lowerer, Lowering
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.scoping import patterns
from vcad_kernel.loon.scoping.bindings import Global
from vcad_kernel.loon.scoping.nodes import SYMBOL, usage_of
from vcad_kernel.loon.scoping.walk import Walk
from vcad_kernel.loon.shapes import BadForm, clause_of, methods_in
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = ["IMPL"]


def _walk(walk: Walk, _node: Node, items: Sequence[Node]) -> None:
    patterns.walk_types(walk, items[1:3])
    if len(items) < 3 or items[1].kind != SYMBOL or items[2].kind != SYMBOL:
        return
    trait, owner = items[1].text, items[2].text
    for method, held, name in patterns.methods_in(items[3:]):
        usage = usage_of(f"{owner}.{name}", *held[2:3])
        walk.define(held[1], "value", "method", method, usage, prefix=owner + ".", owner=owner)
        walk.found.links.append((Global("type", f"{trait}.{name}"), Global("value", f"{owner}.{name}")))
        patterns.walk_clauses(walk, method, held[2:], "function")


def _declare(declaring: Declaring, operands: tuple[Form, ...], _at_top: bool) -> None:
    match operands:
        case (Symbol(name=trait), Symbol(name=owner), *methods):
            declaring.found.impls.add((trait, owner))
            for _, name, rest in methods_in(methods):
                declaring.found.names[f"{owner}.{name.name}"] = None
                declaring.each(rest, at_top=False)


def _exports(operands: Sequence[Form]) -> Iterator[str]:
    match operands:
        case (Symbol(), Symbol(name=owner), *methods):
            return (f"{owner}.{method.name.name}" for method in methods_in(methods))
    return iter(())


def _infer(inf: Inference, form: ListForm) -> Type:
    """``[impl Trait Type [fn m …] …]``: bind ``Type.m``; each result is what the trait says."""
    if len(form.items) < 3:
        return inf.fresh()
    trait, owner = form.items[1:3]
    if not isinstance(trait, Symbol) or not isinstance(owner, Symbol):
        return inf.fresh()
    known = inf.names.trait(trait.name)
    if known is None and trait.name not in BUILT_IN_TRAITS:
        _unknown_trait(inf, trait)
    promised = known.methods if known is not None else {}
    for _, name, operands in methods_in(form.items[3:]):
        _implement(inf, owner, name, operands, promised.get(name.name))
    return UNIT


def _unknown_trait(inf: Inference, trait: Symbol) -> None:
    near = close_to(trait.name, BUILT_IN_TRAITS)
    inf.report(
        "E0205",
        f"there is no trait {trait.name}",
        [(trait, "not defined")],
        why="an impl fulfils a trait that was defined before",
        fix=did_you_mean(near, trait.start, trait.end)
        if near
        else f"define it: [trait {trait.name} [fn … [self] -> …]]",
        severity="warning",
    )


def _implement(
    inf: Inference,
    owner: Symbol,
    symbol: Symbol,
    operands: tuple[Form, ...],
    promised: tuple[Form, ...] | None,
) -> None:
    name = f"{owner.name}.{symbol.name}"
    bound = Symbol(symbol.start, symbol.end, name)
    try:
        clause = clause_of(operands)
    except BadForm:
        inf.define(bound, inf.fresh())
        return
    outer, inf.steps = inf.steps, []
    with inf.deeper():
        arity = BUILT_IN.get(owner.name, inf.names.arity(owner.name))
        own = Con("Int" if owner.name == "Num" else owner.name, tuple([inf.fresh() for _ in range(arity)]))
        term = shape_of(inf, clause)
        if term.params:
            inf.unify(term.params[0], own)
        begun = inf.begin(name, term)
        fill(inf, clause, term, name)
        inf.end(name, begun)
        if promised is not None:
            reader = FormTypes(inf.names.arity, inf.fresh, {"Self": own})
            wanted = reader.several(list(promised))
            clash = inf.unify(wanted, term.result)
            place = clause.body[-1] if clause.body else symbol
            inf.settle(place)
            if clash is not None:
                expected, other = worded(wanted), worded(term.result)
                inf.report(
                    clash_code(clash),
                    f"{name} must give {expected}, as its trait says, but gives {other}",
                    [(place, other)],
                    why="" if promised else "a method of a trait without an arrow gives nothing: ()",
                    fix=conversion(wanted, term.result, place),
                    severity="hint",
                )
    inf.performs[name] = tuple(inf.steps)
    inf.steps = outer
    inf.parameters[name] = tuple(
        [parameter.name if isinstance(parameter, Symbol) else "_" for parameter in clause.parameters]
    )
    inf.define(bound, inf.generalised(term))


def _own(owners: Owners, form: ListForm) -> None:
    """Methods of a trait are called as values, so their modes are of no use to anybody."""
    for method in methods_in(form.items[3:]):
        owners.named("", method.operands)


def _lower(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[impl Trait Type [fn m …] …]``: bind the functions ``Type.m``."""
    names = form.items[1:3]
    if len(names) != 2 or not all(isinstance(name, Symbol) for name in names):
        raise BadForm("impl needs a trait and a type: [impl Trait Type [fn m [self] …]]")
    owner = names[1]
    assert isinstance(owner, Symbol)
    for part in form.items[3:]:
        method = next(methods_in([part]), None)
        if method is None or not method.operands:
            raise BadForm("impl holds methods: [fn name [self …] body …]")
        full = f"{owner.name}.{method.name.name}"
        define_global_function(low, full, [clause_of(method.operands)], low.at(part))
    at = low.at(form)
    low.put(low.unit(at), destination, at)


IMPL = SpecialForm(
    entry=Chapter("Types").form(
        "[impl Trait Type [fn m [self …] body …] …]",
        "Defines a trait's methods for a type as functions Type.m. Such a name reads as an effect operation "
        "when it is called: pass it, as in [map Pin.size pins], or bind it first.",
        "[type Pin [Pin Float]] [trait Sized [fn size [self] -> Float]] "
        "[impl Sized Pin [fn size [self] [match self [Pin d] d]]] [map Pin.size #[[Pin 6.0]]]",
        "#[6]",
        "Trait, Type: their names",
        "[fn m [self …] body …] …: the methods",
    ),
    purpose="declare",
    first_line=on_first_line(3),
    walks=_walk,
    expects=types_only,
    declares=_declare,
    exports=_exports,
    lasting=True,
    infers=_infer,
    owns=Owning(_own),
    lowers=Lowering(lower=_lower, only_defines=True),
)
