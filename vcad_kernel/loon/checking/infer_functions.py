"""The types of ``let``, ``set!``, ``fn`` and ``test``."""

from __future__ import annotations

from collections.abc import Sequence

from vcad_kernel.loon.checking.display import worded, worded_together
from vcad_kernel.loon.checking.effects import Performs
from vcad_kernel.loon.checking.findings import conversion
from vcad_kernel.loon.checking.handlers import special
from vcad_kernel.loon.checking.infer import Inference, Scope, clash_code
from vcad_kernel.loon.checking.infer_patterns import is_pattern, take_apart
from vcad_kernel.loon.checking.signatures import promised
from vcad_kernel.loon.checking.types import UNIT, Fn, Overload, Type, vector_of
from vcad_kernel.loon.checking.unify import Clash
from vcad_kernel.loon.lowering.functions import Clause, clause_of, clauses_of
from vcad_kernel.loon.lowering.lower import BadForm
from vcad_kernel.loon.syntax import Form, ListForm, SetForm, StringLit, Symbol, TupleForm

__all__ = ["define_function", "fill", "shape_of"]

_FN = Symbol(0, 0, "fn")
_MUT = Symbol(0, 0, "mut")


@special("let")
def infer_let(inf: Inference, form: ListForm) -> Type:
    """``[let pattern e]``: the value's type, generalised for each name it binds."""
    operands = form.items[1:]
    if operands[:1] == (_MUT,):
        operands = operands[1:]
    if len(operands) < 2 or not is_pattern(operands[0]):
        return inf.fresh()
    pattern, value = operands[:2]
    if isinstance(pattern, Symbol) and pattern.name != "_":
        return _let_name(inf, pattern, value)
    with inf.deeper():
        term = inf.infer(value)
    take_apart(inf, pattern, term, general=True)
    return term


def _let_name(inf: Inference, symbol: Symbol, value: Form) -> Type:
    if inf.scope is not None:
        with inf.deeper():
            term = inf.infer(value)
        inf.bind(symbol, inf.generalised(term))
        inf.scope.performs[symbol.name] = _performs(inf, value)
        return term
    with inf.deeper():
        term = _global_value(inf, symbol, value)
    term = promised(inf, symbol, term)
    inf.bind(symbol, inf.generalised(term))
    inf.performs[symbol.name] = _performs(inf, value)
    return term


def _global_value(inf: Inference, symbol: Symbol, value: Form) -> Type:
    """The type of a global's value; a function in it may use the global itself."""
    clause = _anonymous(value)
    if clause is not None:
        return _function_type(inf, symbol.name, [clause], form=value)
    begun = inf.begin(symbol.name, None)
    term = inf.infer(value)
    used = inf.end(symbol.name, begun)
    clash = None if used is None else inf.unify(used, term)
    if clash is not None:
        _differs_within(inf, symbol.name, used or term, term, value, clash)
    inf.settle(value)
    return term


def _performs(inf: Inference, value: Form) -> Performs:
    """What is performed when a value is called, as far as its form tells."""
    if isinstance(value, Symbol) and inf.scope is not None:
        holder = inf.scope.find(value.name)
        return holder.performs.get(value.name, ()) if holder is not None else ()
    return inf.latent.get(id(value), ())


@special("set!")
def infer_set(inf: Inference, form: ListForm) -> Type:
    """``[set! name e]``: a value of the variable's type."""
    if len(form.items) != 3 or not isinstance(form.items[1], Symbol):
        return inf.fresh()
    symbol, value = form.items[1], form.items[2]
    term = inf.infer(value)
    held = inf.lookup(symbol.name)
    if held is None:
        if inf.scope is None:
            inf.define(symbol, inf.generalised(term))
        else:
            inf.symbol(symbol)  # says that it is not bound
        return term
    before = inf.used(held)
    if inf.unify(before, term) is not None:
        one, other = worded(before), worded(term)
        inf.report(
            "E0200",
            f"{symbol.name} holds {one}, but is set to {other}",
            [(value, other)],
            why="what uses the variable counts on its type",
            fix=conversion(before, term, value) or f"a second [let {symbol.name} …] may be of another type",
            severity="hint",
        )
        return inf.fresh()
    inf.settle(value)
    holder = None if inf.scope is None else inf.scope.find(symbol.name)
    if holder is not None:
        holder.names[symbol.name] = before
    elif symbol.name in inf.defined:
        inf.defined[symbol.name] = before
    return term


@special("fn")
def infer_fn(inf: Inference, form: ListForm) -> Type:
    """``[fn name …]`` binds a global and is unit; ``[fn [params] …]`` is a function."""
    operands = form.items[1:]
    if operands and isinstance(operands[0], Symbol):
        define_function(inf, operands[0], operands[1:])
        return UNIT
    clause = _anonymous(form)
    return inf.fresh() if clause is None else _function_type(inf, "", [clause], form=form)


def _anonymous(form: Form) -> Clause | None:
    """The clause of ``[fn [params] …]``; None for any other form."""
    if not isinstance(form, ListForm) or form.items[:1] != (_FN,) or len(form.items) < 2:
        return None
    if isinstance(form.items[1], Symbol):
        return None
    try:
        return clause_of(form.items[1:])
    except BadForm:
        return None


@special("test")
def infer_test(inf: Inference, form: ListForm) -> Type:
    """``[test name [] body…]`` defines a function that a runner calls."""
    operands = form.items[1:]
    if operands and operands[0] == Symbol(0, 0, "fn"):
        operands = operands[1:]
    if not operands or not isinstance(operands[0], Symbol | StringLit):
        return inf.fresh()
    name = operands[0]
    if isinstance(name, StringLit):
        name = Symbol(name.start, name.end, name.value)
    define_function(inf, name, operands[1:])
    return UNIT


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
        term = _function_type(inf, name, clauses)
    term = promised(inf, symbol, term)
    inf.define(symbol, inf.generalised(term))
    if inf.recorded is not None:
        inf.recorded.append((symbol, term))
    for operand in operands:
        allowed = _effect_set(operand.items if isinstance(operand, TupleForm) else operands)
        if allowed is not None:
            inf.promises.append((symbol, allowed, inf.performs[name]))
            break


def _function_type(inf: Inference, name: str, clauses: Sequence[Clause], form: Form | None = None) -> Type:
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
    return tuple([one.name if isinstance(one, Symbol) else "_" for one in clauses[0].parameters])


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
        _differs_within(inf, name or "this function", shape.result, result, place, clash)
    if place is not None:
        inf.settle(place)


def _differs_within(inf: Inference, name: str, wanted: Type, given: Type, place: Form, clash: Clash) -> None:
    """Report a definition that uses itself as something else than it is."""
    one, other = worded_together([wanted, given])
    what = f"{name} is {other} here, but {one} where it uses itself"
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
        if all(isinstance(one, Symbol) and one.name[0].isupper() for one in items) and (
            items or len(operands) > 2
        ):
            return frozenset([one.name for one in items if isinstance(one, Symbol)])
    return None
