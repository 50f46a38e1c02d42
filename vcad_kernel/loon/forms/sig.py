"""``sig``: the type that a definition must have (§17)."""

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
)
from vcad_kernel.loon.lowering.lower import Lowering
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.scoping.nodes import SYMBOL, Expected
from vcad_kernel.loon.scoping.patterns import walk_types
from vcad_kernel.loon.scoping.walk import Walk
from vcad_kernel.loon.syntax import Form, Symbol

__all__ = ["SIG"]


def _walk(walk: Walk, _node: Node, items: Sequence[Node]) -> None:
    if len(items) > 1 and items[1].kind == SYMBOL:
        walk.use(items[1], plain=True)
    walk_types(walk, items[2:])


def _expects(before: Sequence[Node]) -> Expected | None:
    return "operand" if len(before) == 1 else "type"


def _announce(declared: Declared, operands: tuple[Form, ...]) -> None:
    match operands:
        case (Symbol(name=name), Symbol(name=":"), *forms) | (Symbol(name=name), *forms):
            declared.signatures[name] = tuple(forms)


SIG = SpecialForm(
    entry=Chapter("Types").form(
        "[sig name : A -> B -> C]",
        "Says the type that the next definition of a name must have; the checker compares. It changes "
        "nothing when the program runs.",
        "[sig area : Float -> Float -> Float] [fn area [w h] [* w h]] [area 2.0 3.0]",
        "6",
        "name: the name to be defined",
        "A -> B -> C: types of the parameters, and of the value last",
    ),
    purpose="define",
    holds=all_names,
    walks=_walk,
    expects=_expects,
    holds_types=True,
    declares=DECLARES_NOTHING,
    announces=_announce,
    lasting=True,
    infers=infer_unit,
    owns=OWNS_NOTHING,
    lowers=Lowering(lower=lower_to_unit, only_defines=True),
)
