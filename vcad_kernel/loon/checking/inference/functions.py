"""The types of functions, with a name and without, and what a ``sig`` promises of them: what ``fn``,
``test``, ``let`` and ``impl`` share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vcad_kernel.loon.checking.findings import conversion
from vcad_kernel.loon.checking.inference.infer import Inference, Scope, clash_code
from vcad_kernel.loon.checking.inference.patterns import take_apart
from vcad_kernel.loon.checking.types.display import shown_part, worded_together
from vcad_kernel.loon.checking.types.notation import FormTypes
from vcad_kernel.loon.checking.types.types import Con, Fn, Overload, Type, prune, vector_of
from vcad_kernel.loon.checking.types.unify import RIGID, Clash
from vcad_kernel.loon.shapes import BadForm, Clause, clause_of, clauses_of
from vcad_kernel.loon.syntax import Form, ListForm, SetForm, Symbol, TupleForm

__all__ = [
    "anonymous",
    "define_function",
    "differs_within",
    "fill",
    "function_type",
    "promised",
    "shape_of",
]

_FN = Symbol(0, 0, "fn")


def anonymous(form: Form) -> Clause | None:
    """The clause of ``[fn [params] …]``; None for any other form."""
    if not isinstance(form, ListForm) or form.items[:1] != (_FN,) or len(form.items) < 2:
        return None
    if isinstance(form.items[1], Symbol):
        return None
    try:
        return clause_of(form.items[1:])
    except BadForm:
        return None


def define_function(inf: Inference, symbol: Symbol, operands: Sequence[Form]) -> None:
    """A named function: monomorphic within itself, then generalised and bound globally."""
    name = symbol.name
    try:
        clauses = clauses_of(operands)
    except BadForm:
        inf.define(symbol, inf.fresh())
        return
    inf.parameters[name] = _parameter_names(clauses)
    with inf.deeper():
        term = function_type(inf, name, clauses)
    term = promised(inf, symbol, term)
    inf.define(symbol, inf.generalised(term))
    if inf.recorded is not None:
        inf.recorded.append((symbol, term))
    for operand in operands:
        allowed = _effect_set(operand.items if isinstance(operand, TupleForm) else operands)
        if allowed is not None:
            inf.promises.append((symbol, allowed, inf.performs[name]))
            break


def function_type(inf: Inference, name: str, clauses: Sequence[Clause], form: Form | None = None) -> Type:
    """The type of a function, which is monomorphic within itself.

    name: of a global, else empty; form: of a closure.
    """
    shapes = [shape_of(inf, clause) for clause in clauses]
    whole: Type = shapes[0] if len(shapes) == 1 else Overload(tuple(shapes))
    outer, inf.steps = inf.steps, []
    handled, inf.handled = inf.handled, frozenset()
    begun = inf.begin(name, whole)
    for clause, shape in zip(clauses, shapes, strict=True):
        fill(inf, clause, shape, name)
    inf.end(name, begun)
    performs = tuple(inf.steps)
    inf.steps, inf.handled = outer, handled
    if form is not None:
        inf.latent[id(form)] = performs
    if name:
        inf.performs[name] = performs
    return whole


def _parameter_names(clauses: Sequence[Clause]) -> tuple[str, ...]:
    if len(clauses) > 1:
        return ()
    return tuple(
        [parameter.name if isinstance(parameter, Symbol) else "_" for parameter in clauses[0].parameters]
    )


def shape_of(inf: Inference, clause: Clause) -> Fn:
    """The type of one arity of a function before its body is looked at."""
    params = tuple([inf.fresh() for _ in clause.parameters])
    return Fn(params, inf.fresh(), None if clause.rest is None else inf.fresh())


def fill(inf: Inference, clause: Clause, shape: Fn, name: str) -> None:
    """Infer a function's body, and so what its type's parts are."""
    outer, inf.scope = inf.scope, Scope(inf.scope)
    inf.functions += 1
    for pattern, param in zip(clause.parameters, shape.params, strict=True):
        take_apart(inf, pattern, param)
    if clause.rest is not None and shape.rest is not None:
        inf.bind(clause.rest, vector_of(shape.rest))
    result = inf.sequence(clause.body)
    inf.functions -= 1
    inf.scope = outer
    clash = inf.unify(shape.result, result)
    place = clause.body[-1] if clause.body else None
    if clash is not None and place is not None:
        differs_within(inf, name or "this function", shape.result, result, place, clash)
    if place is not None:
        inf.settle(place)


def differs_within(inf: Inference, name: str, wanted: Type, given: Type, place: Form, clash: Clash) -> None:
    """Report a definition that uses itself as something else than it is."""
    expected, other = worded_together([wanted, given])
    what = f"{name} is {other} here, but {expected} where it uses itself"
    if clash.kind == "circle":
        what = f"the type of {name} would contain itself"
    inf.report(
        clash_code(clash),
        what,
        [(place, other)],
        why="within its own definition a name has one type",
        fix=conversion(wanted, given, place),
        severity="warning" if clash.kind == "circle" else "error",
    )


def _effect_set(operands: Sequence[Form]) -> frozenset[str] | None:
    """The effects that a function says it performs; None when it says nothing."""
    if len(operands) > 1 and isinstance(operands[1], SetForm):
        items = operands[1].items
        if all(isinstance(item, Symbol) and item.name[0].isupper() for item in items) and (
            items or len(operands) > 2
        ):
            return frozenset([item.name for item in items if isinstance(item, Symbol)])
    return None


def promised(inf: Inference, symbol: Symbol, term: Type) -> Type:
    """The type of a definition for which there may be a ``sig``."""
    forms = inf.names.signature(symbol.name)
    if forms is None:
        return term
    rigid: dict[str, Type] = {}

    def stand_in() -> Type:
        return Con(f"{RIGID}{len(rigid)}")

    wanted = _declared(inf, forms, term, stand_in, rigid)
    mark = inf.unifier.mark()
    clash = inf.unify(wanted, term)
    inf.unifier.due.clear()
    inf.unifier.undo(mark)
    flexible = _declared(inf, forms, term, inf.fresh, {})
    if clash is not None:
        inferred, promised = shown_part(term), shown_part(flexible)
        inf.report(
            "E0204",
            f"{symbol.name} has the type {inferred}, but its sig says {promised}",
            [(symbol, inferred)],
            why="a sig is a promise to those who call it",
            fix="correct the sig, or the definition",
            severity="warning",
        )
        return term
    inf.unify(flexible, term)
    inf.settle(symbol)
    return term


def _declared(
    inf: Inference,
    forms: Sequence[Form],
    term: Type,
    variable: Callable[[], Type],
    variables: dict[str, Type],
) -> Type:
    """The type that a ``sig`` writes, with its arrows parted as the definition's parameters are."""
    reader = FormTypes(inf.names.arity, variable, variables)
    declared = reader.several(list(forms))
    term = prune(term)
    if not isinstance(term, Fn) or not isinstance(declared, Fn):
        if isinstance(term, Fn) and not term.params and term.rest is None:
            return Fn((), declared)
        return declared
    count = len(term.params)
    if len(declared.params) > count:
        inner: Type = Fn(declared.params[count:], declared.result)
        return Fn(declared.params[:count], inner)
    return declared
