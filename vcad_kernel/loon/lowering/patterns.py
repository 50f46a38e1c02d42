"""The patterns of ``let`` and of parameters, taken apart."""

from __future__ import annotations

import ast

from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.lower import Destination, Lowerer
from vcad_kernel.loon.syntax import Form, KeywordLit, ListForm, MapForm, Symbol

__all__ = ["take_apart"]


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
