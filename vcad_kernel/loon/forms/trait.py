"""``trait``: methods that types may implement, for the checker (§14.3)."""

from __future__ import annotations

from collections.abc import Sequence

from vcad_kernel.loon.checking.declared import Declared
from vcad_kernel.loon.forms.record import (
    DECLARES_NOTHING,
    OWNS_NOTHING,
    SpecialForm,
    all_names,
    infer_unit,
    lower_to_unit,
    named_then_types,
    on_first_line,
)
from vcad_kernel.loon.lowering.lower import Lowering
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.scoping import patterns
from vcad_kernel.loon.scoping.nodes import SYMBOL, usage_of
from vcad_kernel.loon.scoping.walk import Walk
from vcad_kernel.loon.shapes import methods_in
from vcad_kernel.loon.syntax import Form, Symbol

__all__ = ["TRAIT"]


def _walk(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    if len(items) < 2 or items[1].kind != SYMBOL:
        return
    trait = items[1].text
    walk.define(items[1], "type", "trait", node, trait)
    for method, held, name in patterns.methods_in(items[2:]):
        walk.define(
            held[1], "type", "method", method, usage_of(name, *held[2:3]), prefix=trait + ".", owner=trait
        )
        patterns.walk_types(walk, held[3:])


def _announce(declared: Declared, operands: tuple[Form, ...]) -> None:
    if operands and isinstance(operands[0], Symbol):
        declared.traits[operands[0].name] = {
            method.name.name: _result(method.operands) for method in methods_in(operands[1:])
        }


def _result(operands: tuple[Form, ...]) -> tuple[Form, ...]:
    arrow = Symbol(0, 0, "->")
    return operands[operands.index(arrow) + 1 :] if arrow in operands else ()


TRAIT = SpecialForm(
    entry=Chapter("Types").form(
        "[trait Name [fn m [self …] -> Type] …]",
        "Declares methods that types may implement with impl. For the checker alone.",
        "[trait Sized [fn size [self] -> Float]]",
        "()",
        "Name: with a capital",
        "[fn m [self …] -> Type] …: the methods",
    ),
    purpose="define",
    first_line=on_first_line(2),
    holds=all_names,
    walks=_walk,
    expects=named_then_types,
    declares=DECLARES_NOTHING,
    announces=_announce,
    lasting=True,
    infers=infer_unit,
    owns=OWNS_NOTHING,
    lowers=Lowering(lower=lower_to_unit),
)
