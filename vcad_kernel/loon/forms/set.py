"""``set!``: another value for a variable that is there."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from vcad_kernel.loon.checking.declared import Declaring
from vcad_kernel.loon.checking.findings import conversion
from vcad_kernel.loon.checking.inference.infer import Inference
from vcad_kernel.loon.checking.ownership.owners import Owners, Owning
from vcad_kernel.loon.checking.types.display import worded
from vcad_kernel.loon.checking.types.types import Type
from vcad_kernel.loon.forms.record import SpecialForm
from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.lower import Destination, Lowerer, Lowering
from vcad_kernel.loon.names import mangle
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.scoping.nodes import SYMBOL
from vcad_kernel.loon.scoping.walk import Walk
from vcad_kernel.loon.shapes import BadForm
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = ["SET"]


def _walk(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    walk.sequence(items[2:])
    if len(items) > 1:
        if items[1].kind == SYMBOL and walk.scope.kind == "global":
            walk.define(items[1], "value", "variable", node, items[1].text)
        elif items[1].kind == SYMBOL:
            walk.use(items[1], plain=True)
        else:
            walk.code(items[1])


def _declare(declaring: Declaring, operands: tuple[Form, ...], at_top: bool) -> None:
    declaring.each(operands[1:], at_top=at_top)
    if at_top and operands and isinstance(operands[0], Symbol):
        declaring.found.sets[operands[0].name] = None


def _infer(inf: Inference, form: ListForm) -> Type:
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
        earlier, other = worded(before), worded(term)
        advice = conversion(before, term, value)
        inf.report(
            "E0200",
            f"{symbol.name} holds {earlier}, but is set to {other}",
            [(value, other)],
            why="what uses the variable counts on its type",
            fix=advice if advice.text else f"a second [let {symbol.name} …] may be of another type",
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


def _own(owners: Owners, form: ListForm) -> None:
    """``set!`` gives the variable a new value, so it is alive again."""
    owners.each(form.items[2:])
    name = form.items[1] if len(form.items) > 1 else None
    binding = owners.variables.find(name.name) if isinstance(name, Symbol) else None
    if binding is not None:
        owners.variables.revive(binding)


def _lower(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[set! name e]``: rebind the nearest existing variable of that name."""
    if len(form.items) != 3 or not isinstance(form.items[1], Symbol):
        raise BadForm("set! needs a name and a value: [set! name value]")
    name, at = form.items[1].name, low.at(form)
    value = low.spill(low.value(form.items[2]), at)
    slots = low.frame.lookup(name)
    orelse: list[ast.stmt] = []
    if not slots or not slots[-1].definite:
        orelse = low.gather(lambda: _set_global(low, form.items[1], value))
    for slot in reversed(slots):
        chosen = low.gather(lambda slot=slot: low.assign_slot(slot, value, at))  # type: ignore[misc]
        if slot.definite:
            orelse = chosen
        else:
            bound = pyast.differ(pyast.load(slot.variable, at), pyast.load("$unset", at), at)
            orelse = [pyast.when(bound, chosen, orelse, at)]
    low.frame.body += orelse
    low.put(value, destination, at)


def _set_global(low: Lowerer, symbol: Form, value: ast.expr) -> None:
    """In a function only a global that exists can be set; at the top a new one may be made."""
    assert isinstance(symbol, Symbol)
    at = low.at(symbol)
    if low.frame.innermost_block() is not None:
        low.emit(pyast.run(pyast.load(mangle(symbol.name), at), at))
    low.emit(pyast.assign([low.define_global(symbol.name, at)], value, at))


SET = SpecialForm(
    entry=Chapter("Definitions").form(
        "[set! name value]",
        "Gives an existing variable a new value, and is that value. Functions made before keep the value "
        "that they captured.",
        "[let mut w 50] [set! w 60] w",
        "60",
        "name: a variable",
        "value: any expression",
    ),
    purpose="change",
    walks=_walk,
    declares=_declare,
    infers=_infer,
    owns=Owning(_own),
    lowers=Lowering(lower=_lower),
)
