"""``type``, its methods, ``impl`` and ``derive``."""

from __future__ import annotations

from collections.abc import Sequence

from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.bindings import check_pattern, take_apart
from vcad_kernel.loon.lowering.functions import body_after_effects, clause_of, define_global_function
from vcad_kernel.loon.lowering.lower import RETURN, BadForm, Destination, Lowerer, special
from vcad_kernel.loon.lowering.pyast import At
from vcad_kernel.loon.lowering.scope import Block, Frame
from vcad_kernel.loon.syntax import Form, KeywordLit, ListForm, Symbol


@special("type")
def lower_type(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[type Name param… variant…]``: bind the constructors."""
    if len(form.items) < 2 or not isinstance(form.items[1], Symbol):
        raise BadForm("type needs a name: [type Shape [Circle Float] Point]")
    for variant in form.items[2:]:
        if isinstance(variant, Symbol):
            if "A" <= variant.name[0] <= "Z":
                _define_constant(low, variant)
        elif isinstance(variant, ListForm) and variant.items and isinstance(variant.items[0], Symbol):
            _define_variant(low, variant.items[0], variant.items[1:], low.at(variant))
        else:
            raise BadForm("a variant is a name or [Name field …]")
    at = low.at(form)
    low.put(low.unit(at), destination, at)


def _define_constant(low: Lowerer, symbol: Symbol) -> None:
    at = low.at(symbol)
    identifier = low.define_global(symbol.name, at)
    made = pyast.call_support("$constant", [pyast.constant(symbol.name, at)], at)
    low.emit(pyast.assign([identifier], made, at))


def _define_variant(low: Lowerer, symbol: Symbol, parts: Sequence[Form], at: At) -> None:
    names: list[str] = []
    methods: list[ListForm] = []
    index = 0
    while index < len(parts):
        part = parts[index]
        index += 1
        if isinstance(part, KeywordLit):
            if index == len(parts):
                raise BadForm(f"the field :{part.name} has no type")
            names.append(part.name)
            index += 1
        elif isinstance(part, ListForm) and part.items and part.items[0] == Symbol(0, 0, "fn"):
            methods.append(part)
        else:
            names.append("")
    tag = pyast.constant(symbol.name, at)
    named = pyast.tuple_of([pyast.constant(name, at) for name in names], at)
    arguments = [tag, pyast.constant(len(names), at), named if any(names) else pyast.constant(None, at)]
    identifier = low.define_global(symbol.name, at)
    low.emit(pyast.assign([identifier], pyast.call_support("$variant", arguments, at), at))
    for method in methods:
        _define_method(low, symbol.name, method)


def _define_method(low: Lowerer, tag: str, form: ListForm) -> None:
    """A method takes the fields of its value by position and sees globals alone."""
    if len(form.items) < 3 or not isinstance(form.items[1], Symbol):
        raise BadForm("a method is [fn name [field …] body …]")
    name, at = form.items[1].name, low.at(form)
    if not isinstance(form.items[2], ListForm):
        raise BadForm("a method's parameters stand in brackets")
    parameters = form.items[2].items
    for parameter in parameters:
        check_pattern(parameter)
    held = low.fresh()
    with low.inside(Frame("method", low.frame)):
        low.frame.blocks.append(Block(low.frame))
        for index, parameter in enumerate(parameters):
            place = low.at(parameter)
            part = [pyast.load(held, place), pyast.constant(index, place)]
            value = low.spill(pyast.call_support("$argument", part, place), place)
            variable = low.fresh()
            low.emit(pyast.assign([variable], value, place))
            take_apart(low, parameter, pyast.load(variable, place))
        low.sequence(body_after_effects(form.items[3:]), RETURN, at)
        body = [*low.prologue(low.frame, at), *low.frame.body]
    function = f"{name}$method"
    low.emit(pyast.define(function, pyast.parameters([held], [], at), body, at))
    identifier = low.define_global(name, at)
    texts = [pyast.constant(text, at) for text in (name, tag)]
    bound = pyast.call_support("$method", [*texts, pyast.load(function, at)], at)
    low.emit(pyast.assign([identifier], bound, at))


@special("impl")
def lower_impl(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[impl Trait Type [fn m …] …]``: bind the functions ``Type.m``."""
    names = form.items[1:3]
    if len(names) != 2 or not all(isinstance(name, Symbol) for name in names):
        raise BadForm("impl needs a trait and a type: [impl Trait Type [fn m [self] …]]")
    owner = names[1]
    assert isinstance(owner, Symbol)
    for method in form.items[3:]:
        if (
            not isinstance(method, ListForm)
            or len(method.items) < 3
            or method.items[0] != Symbol(0, 0, "fn")
            or not isinstance(method.items[1], Symbol)
        ):
            raise BadForm("impl holds methods: [fn name [self …] body …]")
        at = low.at(method)
        full = f"{owner.name}.{method.items[1].name}"
        define_global_function(low, full, [clause_of(method.items[2:])], at)
    at = low.at(form)
    low.put(low.unit(at), destination, at)


@special("derive")
def lower_derive(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[derive Copy [type …]]``: the type; the mark is the ownership checker's."""
    if len(form.items) != 3 or not isinstance(form.items[2], ListForm):
        raise BadForm("derive needs a trait and a type: [derive Copy [type …]]")
    low.into(form.items[2], destination)
