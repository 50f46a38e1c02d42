"""The types of ``let``, ``set!``, ``fn`` and ``test``, and what a ``sig`` promises of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vcad_kernel.loon.checking.display import shown_part, worded
from vcad_kernel.loon.checking.findings import conversion
from vcad_kernel.loon.checking.handlers import special
from vcad_kernel.loon.checking.infer import Inference, Scope
from vcad_kernel.loon.checking.infer_patterns import is_pattern, take_apart
from vcad_kernel.loon.checking.notation import FormTypes
from vcad_kernel.loon.checking.types import UNIT, Con, Fn, Overload, Type, prune, vector_of
from vcad_kernel.loon.checking.unify import RIGID
from vcad_kernel.loon.lowering.functions import Clause, clause_of
from vcad_kernel.loon.lowering.lower import BadForm
from vcad_kernel.loon.syntax import Form, ListForm, SetForm, StringLit, Symbol, TupleForm

__all__ = ["clause_type", "define_function"]

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
    is_global = inf.scope is None
    with inf.deeper():
        term = _recursive(inf, symbol.name, lambda: inf.infer(value)) if is_global else inf.infer(value)
    if is_global:
        term = _promised(inf, symbol, term)
    inf.bind(symbol, inf.generalised(term))
    performs = inf.latent.get(id(value))
    if performs is None and isinstance(value, Symbol) and inf.scope is not None:
        holder = inf.scope.find(value.name)
        performs = holder.performs.get(value.name) if holder is not None else None
    if performs is not None:
        if inf.scope is None:
            inf.performs[symbol.name] = performs
        else:
            inf.scope.performs[symbol.name] = performs
    return term


def _recursive(inf: Inference, name: str, inside: Callable[[], Type]) -> Type:
    """Infer a global's definition, in which it may use itself; inside of ``deeper``."""
    outer = inf.under_way.get(name)
    inf.under_way[name] = (inf.names.level, None)
    term = inside()
    used = inf.under_way.pop(name)[1]
    if outer is not None:
        inf.under_way[name] = outer
    if used is not None:
        inf.unify(used, term)
        inf.unifier.due.clear()
    return term


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
            inf.define(symbol.name, inf.generalised(term))
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
    try:
        clause = clause_of(operands)
    except BadForm:
        return inf.fresh()
    outer, inf.steps = inf.steps, []
    handled, inf.handled = inf.handled, frozenset()
    term = clause_type(inf, clause)
    inf.latent[id(form)] = tuple(inf.steps)
    inf.steps, inf.handled = outer, handled
    return term


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
        clauses = _clauses(operands)
    except BadForm:
        inf.define(name, inf.fresh())
        return
    outer, inf.steps = inf.steps, []
    handled, inf.handled = inf.handled, frozenset()
    inf.parameters[name] = _parameter_names(clauses)
    with inf.deeper():
        term = _recursive(inf, name, lambda: _whole(inf, clauses))
    term = _promised(inf, symbol, term)
    inf.performs[name] = tuple(inf.steps)
    inf.steps, inf.handled = outer, handled
    inf.define(name, inf.generalised(term))
    if inf.recorded is not None:
        inf.recorded.append((symbol, term))
    for operand in operands:
        promised = _effect_set(operand.items if isinstance(operand, TupleForm) else operands)
        if promised is not None:
            inf.promises.append((symbol, promised, inf.performs[name]))
            break


def _whole(inf: Inference, clauses: Sequence[Clause]) -> Type:
    types = [clause_type(inf, clause) for clause in clauses]
    return types[0] if len(types) == 1 else Overload(tuple(types))


def _clauses(operands: Sequence[Form]) -> list[Clause]:
    """The clauses of a named function. Raises: BadForm."""
    if operands and isinstance(operands[0], TupleForm):
        clauses = []
        for operand in operands:
            if not isinstance(operand, TupleForm) or len(operand.items) < 2:
                raise BadForm("a clause of a function is ([params] body …)")
            clauses.append(clause_of(operand.items))
        return clauses
    return [clause_of(operands)]


def _parameter_names(clauses: Sequence[Clause]) -> tuple[str, ...]:
    if len(clauses) > 1:
        return ()
    return tuple([one.name if isinstance(one, Symbol) else "_" for one in clauses[0].parameters])


def clause_type(inf: Inference, clause: Clause, first: Type | None = None) -> Type:
    """The type of one arity of a function. first: the type of its first parameter, if that is known."""
    outer, inf.scope = inf.scope, Scope(inf.scope)
    inf.functions += 1
    params: list[Type] = [inf.fresh() for _ in clause.parameters]
    if first is not None and params:
        params[0] = first
    for pattern, param in zip(clause.parameters, params, strict=True):
        take_apart(inf, pattern, param)
    rest: Type | None = None
    if clause.rest is not None:
        rest = inf.fresh()
        inf.bind(clause.rest, vector_of(rest))
    result = inf.sequence(clause.body)
    inf.functions -= 1
    inf.scope = outer
    return Fn(tuple(params), result, rest)


def _effect_set(operands: Sequence[Form]) -> frozenset[str] | None:
    """The effects that a function says it performs; None when it says nothing."""
    if len(operands) > 1 and isinstance(operands[1], SetForm):
        items = operands[1].items
        if all(isinstance(one, Symbol) and one.name[0].isupper() for one in items) and (
            items or len(operands) > 2
        ):
            return frozenset([one.name for one in items if isinstance(one, Symbol)])
    return None


def _promised(inf: Inference, symbol: Symbol, term: Type) -> Type:
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
