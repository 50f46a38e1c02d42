"""``derive``: a type whose values are plain data (§14.1, §18)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vcad_kernel.loon.checking.declared import Declaring
from vcad_kernel.loon.checking.inference.infer import Inference
from vcad_kernel.loon.checking.types.types import Type
from vcad_kernel.loon.forms.record import SpecialForm, on_first_line, types_only
from vcad_kernel.loon.forms.type_ import TYPE, declare_type
from vcad_kernel.loon.lowering.lower import Destination, Lowerer, Lowering
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.scoping.patterns import walk_types
from vcad_kernel.loon.scoping.walk import Walk
from vcad_kernel.loon.shapes import BadForm
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = ["DERIVE"]


def _walk(walk: Walk, _node: Node, items: Sequence[Node]) -> None:
    walk_types(walk, items[1:2])
    walk.sequence(items[2:])


def _declare(declaring: Declaring, operands: tuple[Form, ...], at_top: bool) -> None:
    match operands:
        case (Symbol(name=trait), ListForm(items=(Symbol(name="type"), *parts)), *_):
            declare_type(declaring, tuple(parts), is_copy=trait == "Copy")
        case _:
            declaring.each(operands, at_top=at_top)


def _exports(operands: Sequence[Form]) -> Iterator[str]:
    match operands:
        case (_, ListForm(items=(Symbol(name="type"), *parts)), *_):
            yield from TYPE.exports(parts)


def _infer(inf: Inference, form: ListForm) -> Type:
    """``[derive Copy [type …]]``: the type."""
    if len(form.items) != 3 or not isinstance(form.items[2], ListForm):
        return inf.fresh()
    return inf.infer(form.items[2])


def _lower(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[derive Copy [type …]]``: the type; the mark is the ownership checker's."""
    if len(form.items) != 3 or not isinstance(form.items[2], ListForm):
        raise BadForm("derive needs a trait and a type: [derive Copy [type …]]")
    low.into(form.items[2], destination)


DERIVE = SpecialForm(
    entry=Chapter("Types").form(
        "[derive Copy [type …]]",
        "Defines a type whose values are plain data: the ownership check never calls them moved.",
        "[derive Copy [type Point [Pt Float Float]]] [Pt 1.0 2.0]",
        "[Pt 1 2]",
        "[type …]: a type definition",
    ),
    purpose="declare",
    first_line=on_first_line(2),
    walks=_walk,
    expects=types_only,
    declares=_declare,
    lasting=True,
    infers=_infer,
    lowers=Lowering(lower=_lower),
)
