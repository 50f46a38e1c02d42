"""``fn``: functions, with a name and without (§8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vcad_kernel.loon.checking.declared import Declared, Declaring
from vcad_kernel.loon.checking.inference.functions import anonymous, define_function, function_type
from vcad_kernel.loon.checking.inference.infer import Inference
from vcad_kernel.loon.checking.ownership.owners import Owners, Owning
from vcad_kernel.loon.checking.types.types import UNIT, Type
from vcad_kernel.loon.forms.record import Part, SpecialForm, named
from vcad_kernel.loon.lowering.functions import define_global_function, make_function
from vcad_kernel.loon.lowering.lower import Destination, Lowerer, Lowering
from vcad_kernel.loon.printing.layout import Item
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.scoping.nodes import LIST, SYMBOL, usage_of
from vcad_kernel.loon.scoping.patterns import parameter_lists, walk_clauses
from vcad_kernel.loon.scoping.walk import Walk
from vcad_kernel.loon.shapes import BadForm, clause_of, clauses_of
from vcad_kernel.loon.syntax import Form, ListForm, Symbol, TupleForm

__all__ = ["FN", "after_parameters", "binds_parameters", "holds_parameters"]


def holds_parameters(items: Sequence[Form]) -> Sequence[Part]:
    """Where parameters stand: after the head and a name, or in each clause."""
    places: list[Part] = ["code"] * len(items)
    for at, item in enumerate(items[1:], 1):
        if isinstance(item, TupleForm):
            places[at] = "clause"
        elif isinstance(item, ListForm):
            if places[at - 1] != "clause":
                places[at] = "pattern"
            break
    return places


def after_parameters(items: Sequence[Item]) -> int:
    """Past the head, a function's name, its parameters and its effects."""
    at = 1
    while at < len(items) and items[at].word:
        at += 1
    if at < len(items) and items[at].kind == "list":
        at += 1
        if at < len(items) and items[at].kind == "set":
            at += 1
    return at


def binds_parameters(items: Sequence[Node], child: Node) -> bool:
    """Whether a part holds the parameters: the first that is no name."""
    first = next((item for item in items[1:] if item.kind != SYMBOL), None)
    return first is child and child.kind == LIST


def _walk(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    rest = items[1:]
    if rest and rest[0].kind == SYMBOL:
        usage = " | ".join(usage_of(rest[0].text, parameters) for parameters in parameter_lists(rest[1:]))
        walk.define(rest[0], "value", "function", node, usage or f"[{rest[0].text}]")
        rest = rest[1:]
    walk_clauses(walk, node, rest, "function")


def _declare(declaring: Declaring, operands: tuple[Form, ...], _at_top: bool) -> None:
    declaring.function(operands)


def _announce(declared: Declared, operands: tuple[Form, ...]) -> None:
    if operands and isinstance(operands[0], Symbol):
        declared.last = operands[0].name


def _exports(operands: Sequence[Form]) -> Iterator[str]:
    if operands and isinstance(operands[0], Symbol):
        yield operands[0].name


def _infer(inf: Inference, form: ListForm) -> Type:
    """``[fn name …]`` binds a global and is unit; ``[fn [params] …]`` is a function."""
    operands = form.items[1:]
    if operands and isinstance(operands[0], Symbol):
        define_function(inf, operands[0], operands[1:])
        return UNIT
    clause = anonymous(form)
    return inf.fresh() if clause is None else function_type(inf, "", [clause], form=form)


def _own(owners: Owners, form: ListForm) -> None:
    operands = form.items[1:]
    if operands and isinstance(operands[0], Symbol):
        owners.define(operands[0].name, operands[1:])
    else:
        owners.clause(operands)


def _lower(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[fn name …]`` binds a global and gives unit; ``[fn [params] …]`` gives a closure."""
    operands = form.items[1:]
    if not operands:
        raise BadForm("fn needs parameters: [fn name [a b] body] or [fn [a b] body]")
    at = low.at(form)
    if not isinstance(operands[0], Symbol):
        low.put(make_function(low, [clause_of(operands)], at), destination, at)
        return
    define_global_function(low, operands[0].name, clauses_of(operands[1:]), at)
    low.put(low.unit(at), destination, at)


FN = SpecialForm(
    entry=Chapter("Definitions").form(
        "[fn name [a b …] body …]",
        "Defines a function. With a name it is global and may call itself; without one, [fn [a b] body], it "
        "is a value. The last form of the body is what it gives. [a & more] collects further arguments in a "
        "vector; ([a] …) ([a b] …) after the name gives a body for each number of arguments.",
        "[fn area [w h] [* w h]] [area 50 30]",
        "1500",
        "name: left out for a function without a name",
        "a b …: the parameters, names or patterns as in let",
        "body …: forms; the last one's value is the function's",
    ),
    purpose="define",
    first_line=after_parameters,
    parted=True,
    holds=holds_parameters,
    walks=_walk,
    expects=named,
    binds_in=binds_parameters,
    declares=_declare,
    announces=_announce,
    exports=_exports,
    infers=_infer,
    owns=Owning(_own),
    lowers=Lowering(
        lower=_lower,
        is_open=True,
        binds=False,
        names=lambda operands: operands[:1],
        only_defines=True,
    ),
)
