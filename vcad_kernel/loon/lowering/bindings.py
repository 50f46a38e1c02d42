"""``let`` and ``set!``, and the patterns of ``let`` and parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.lower import BadForm, Destination, Lowerer, special
from vcad_kernel.loon.names import mangle
from vcad_kernel.loon.syntax import Form, KeywordLit, ListForm, MapForm, Symbol

__all__ = ["check_pattern", "names_in", "take_apart"]


@special("let")
def lower_let(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[let pattern e]``: bind in the scope that holds here; further operands are ignored."""
    operands = form.items[1:]
    if operands and isinstance(operands[0], Symbol) and operands[0].name == "mut":
        operands = operands[1:]
    if len(operands) < 2:
        raise BadForm("let needs a name and a value: [let name value]")
    pattern, at = operands[0], low.at(form)
    check_pattern(pattern)
    value = low.value(operands[1])
    if isinstance(pattern, Symbol) and pattern.name != "_":
        if destination.kind == "discard":
            low.bind(pattern.name, value, at)
        elif destination.kind == "return" and low.frame.blocks:
            low.put(value, destination, at)  # the scope ends here; the body of a handle is none
        else:
            kept = destination.variable or low.fresh()
            low.bind(pattern.name, value, at, also=kept)
            if destination.kind == "return":
                low.put(pyast.load(kept, at), destination, at)
        return
    value = low.spill(value, at)
    take_apart(low, pattern, value)
    low.put(value, destination, at)


def check_pattern(pattern: Form) -> None:
    """Raise BadForm unless a form can stand as the pattern of a let or a parameter."""
    match pattern:
        case Symbol():
            return
        case ListForm():
            for part in pattern.items:
                check_pattern(part)
        case MapForm():
            for name in pattern.items[::2]:
                if not isinstance(name, Symbol):
                    raise BadForm("a map pattern pairs names with defaults: {w 1 h h}")
        case _:
            raise BadForm("only names, [a b …] and {name default …} can be bound")


def names_in(pattern: Form) -> Iterator[str]:
    """The names that a checked pattern binds."""
    match pattern:
        case Symbol():
            yield pattern.name
        case ListForm():
            for part in pattern.items:
                yield from names_in(part)
        case MapForm():
            for name in pattern.items[::2]:
                yield from names_in(name)


def take_apart(low: Lowerer, pattern: Form, value: ast.expr) -> None:
    """Bind the names of a checked pattern to the parts of a value held in a variable."""
    at = low.at(pattern)
    match pattern:
        case Symbol():
            if pattern.name != "_":
                low.bind(pattern.name, value, at)
        case ListForm():
            variables = [low.fresh() for _ in pattern.items]
            parts = pyast.call_support("$apart", [value, pyast.constant(len(variables), at)], at)
            low.emit(pyast.assign_each(variables, parts, at) if variables else pyast.run(parts, at))
            for part, variable in zip(pattern.items, variables, strict=True):
                take_apart(low, part, pyast.load(variable, at))
        case MapForm():
            held = low.spill(pyast.call_support("$a_map", [value], at), at)
            for name, default in zip(pattern.items[::2], pattern.items[1::2], strict=True):
                assert isinstance(name, Symbol)
                _take_key(low, held, name, default)


def _take_key(low: Lowerer, held: ast.expr, name: Symbol, default: Form) -> None:
    at = low.at(name)
    key = low.value(KeywordLit(name.start, name.end, name.name))
    bare = isinstance(default, Symbol) and default.name == name.name
    absent = pyast.load("$unit" if bare else "$unset", at)
    found = pyast.call(pyast.attribute(held, "get", at), [key, absent], at)
    if bare:
        low.bind(name.name, found, at)
        return
    variable = low.fresh()
    low.emit(pyast.assign([variable], found, at))
    before = low.bindings()
    otherwise = low.gather(lambda: low.into(default, Destination("variable", variable)))
    low.rejoin(before, before[1], low.bindings()[1])
    missing = pyast.same(pyast.load(variable, at), pyast.load("$unset", at), at)
    low.emit(pyast.when(missing, otherwise, [], at))
    low.bind(name.name, pyast.load(variable, at), at)


@special("set!")
def lower_set(low: Lowerer, form: ListForm, destination: Destination) -> None:
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
