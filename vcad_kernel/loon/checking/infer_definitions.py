"""The types of ``type`` with its constructors and methods, of ``impl`` and of ``derive``."""

from __future__ import annotations

from vcad_kernel.loon.checking.declared import VariantForm, variants_of
from vcad_kernel.loon.checking.definitions import BUILT_IN_TRAITS, Adt
from vcad_kernel.loon.checking.display import worded
from vcad_kernel.loon.checking.findings import closest, conversion
from vcad_kernel.loon.checking.handlers import special
from vcad_kernel.loon.checking.infer import Inference, Scope, clash_code
from vcad_kernel.loon.checking.infer_functions import fill, shape_of
from vcad_kernel.loon.checking.infer_patterns import is_pattern, take_apart
from vcad_kernel.loon.checking.notation import BUILT_IN, FormTypes
from vcad_kernel.loon.checking.types import UNIT, Con, Fn, Overload, Type, instance, prune
from vcad_kernel.loon.lowering.functions import body_after_effects, clause_of
from vcad_kernel.loon.lowering.lower import BadForm
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__: list[str] = []


@special("type")
def infer_type(inf: Inference, form: ListForm) -> Type:
    """``[type Name param… variant…]``: bind the constructors and the methods."""
    if len(form.items) < 2 or not isinstance(form.items[1], Symbol):
        return inf.fresh()
    adt = inf.names.adt(form.items[1].name)
    methods: dict[str, list[tuple[VariantForm, ListForm]]] = {}
    for variant in variants_of(form.items[2:]):
        held = inf.names.variant(variant.name.name)
        if held is not None:
            inf.defined[variant.name.name] = held[1].scheme
        for method in variant.methods:
            if len(method.items) > 2 and isinstance(method.items[1], Symbol):
                methods.setdefault(method.items[1].name, []).append((variant, method))
    if adt is not None:
        for name, bodies in methods.items():
            _define_method(inf, adt, name, bodies)
    return UNIT


def _define_method(inf: Inference, adt: Adt, name: str, bodies: list[tuple[VariantForm, ListForm]]) -> None:
    """A method: a function of a value of the type, which gives each body the fields of its variant."""
    outer, inf.steps = inf.steps, []
    scope, inf.scope = inf.scope, None
    inf.functions += 1
    with inf.deeper():
        whole: Type = Con(adt.name, tuple([inf.fresh() for _ in range(adt.arity)]))
        result: Type = inf.fresh()
        begun = inf.begin(name, Fn((whole,), result))
        for variant, form in bodies:
            fields = _fields(inf, variant, whole)
            found = _method_body(inf, form, fields)
            clash = inf.unify(result, found)
            if clash is not None:
                one, other = worded(result), worded(found)
                inf.report(
                    clash_code(clash),
                    f"the method {name} gives {one} for one variant and {other} for {variant.name.name}",
                    [(form.items[-1], other)],
                    why="who calls the method does not know the variant",
                    fix=conversion(result, found, form.items[-1]),
                    severity="hint",
                )
        inf.end(name, begun)
    inf.functions -= 1
    inf.scope = scope
    inf.performs[name] = tuple(inf.steps)
    inf.steps = outer
    inf.parameters[name] = (adt.name.lower(),)
    symbol = bodies[0][1].items[1]
    assert isinstance(symbol, Symbol)
    inf.define(symbol, inf.generalised(_with_other_types(inf, adt, name, Fn((whole,), result))))


def _with_other_types(inf: Inference, adt: Adt, name: str, method: Fn) -> Type:
    """A method together with the methods of that name that other types have."""
    before = inf.names.scheme(name, deferred=False) if inf.names.is_method(name) else None
    if before is None:
        return method
    known = inf.used(before)
    others = [
        one
        for one in (known.alternatives if isinstance(known, Overload) else (known,))
        if isinstance(one, Fn) and getattr(prune(one.params[0]), "name", "") != adt.name
    ]
    return Overload((*others, method)) if others else method


def _fields(inf: Inference, variant: VariantForm, whole: Type) -> list[Type]:
    held = inf.names.variant(variant.name.name)
    if held is None:
        return []
    term = instance(held[1].pattern, inf.names.level)
    if isinstance(term, Fn):
        inf.unify(whole, term.result)
        return [*term.params]
    return []


def _method_body(inf: Inference, form: ListForm, fields: list[Type]) -> Type:
    parameters = form.items[2]
    if not isinstance(parameters, ListForm) or not all(is_pattern(one) for one in parameters.items):
        return inf.fresh()
    inf.scope = Scope(None)
    beyond: list[Type] = [UNIT] * (len(parameters.items) - len(fields))
    for pattern, field in zip(parameters.items, [*fields, *beyond], strict=False):
        take_apart(inf, pattern, field)
    found = inf.sequence(body_after_effects(form.items[3:]))
    inf.scope = None
    return found


@special("impl")
def infer_impl(inf: Inference, form: ListForm) -> Type:
    """``[impl Trait Type [fn m …] …]``: bind ``Type.m``; each result is what the trait says."""
    if len(form.items) < 3:
        return inf.fresh()
    trait, owner = form.items[1:3]
    if not isinstance(trait, Symbol) or not isinstance(owner, Symbol):
        return inf.fresh()
    known = inf.names.trait(trait.name)
    if known is None and trait.name not in BUILT_IN_TRAITS:
        _unknown_trait(inf, trait)
    methods = known.methods if known is not None else {}
    for method in form.items[3:]:
        match method:
            case ListForm(items=(Symbol(name="fn"), Symbol(name=name) as symbol, *operands)):
                promised = methods.get(name)
                _implement(inf, owner, symbol, tuple(operands), promised)
    return UNIT


def _unknown_trait(inf: Inference, trait: Symbol) -> None:
    near = closest(trait.name, lambda: BUILT_IN_TRAITS)
    inf.report(
        "E0205",
        f"there is no trait {trait.name}",
        [(trait, "not defined")],
        why="an impl fulfils a trait that was defined before",
        fix=f"did you mean {near}?" if near else f"define it: [trait {trait.name} [fn … [self] -> …]]",
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
                one, other = worded(wanted), worded(term.result)
                inf.report(
                    clash_code(clash),
                    f"{name} must give {one}, as its trait says, but gives {other}",
                    [(place, other)],
                    why="" if promised else "a method of a trait without an arrow gives nothing: ()",
                    fix=conversion(wanted, term.result, place),
                    severity="hint",
                )
    inf.performs[name] = tuple(inf.steps)
    inf.steps = outer
    inf.parameters[name] = tuple([one.name if isinstance(one, Symbol) else "_" for one in clause.parameters])
    inf.define(bound, inf.generalised(term))


@special("derive")
def infer_derive(inf: Inference, form: ListForm) -> Type:
    """``[derive Copy [type …]]``: the type."""
    if len(form.items) != 3 or not isinstance(form.items[2], ListForm):
        return inf.fresh()
    return inf.infer(form.items[2])
