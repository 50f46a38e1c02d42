"""``pub``: marks what a module hands out; otherwise it is the definition behind it (§19)."""

from __future__ import annotations

from collections.abc import Sequence

from vcad_kernel.loon.checking.inference.infer import Inference
from vcad_kernel.loon.checking.ownership.owners import Owners, Owning
from vcad_kernel.loon.checking.types.types import Type
from vcad_kernel.loon.forms.record import SpecialForm
from vcad_kernel.loon.lowering.lower import Destination, Lowerer, Lowering
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.scoping.nodes import SYMBOL
from vcad_kernel.loon.scoping.walk import Walk
from vcad_kernel.loon.shapes import BadForm
from vcad_kernel.loon.syntax import Form, ListForm

__all__ = ["PUB"]


def _inner(form: ListForm) -> Form | None:
    """The definition: in brackets of its own or without; None if there is none."""
    match form.items[1:]:
        case ():
            return None
        case (ListForm() as only,):
            return only
        case inner:
            return ListForm(form.start, form.end, inner)


def _walk(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    inner = items[1:]
    if inner and inner[0].kind == SYMBOL and inner[0].text in walk.special:
        walk.special[inner[0].text](walk, node, inner)
    else:
        walk.sequence(inner)


def _infer(inf: Inference, form: ListForm) -> Type:
    inner = _inner(form)
    return inf.fresh() if inner is None else inf.infer(inner)


def _own(owners: Owners, form: ListForm) -> None:
    inner = _inner(form)
    if inner is not None:
        owners.visit(inner)


def _lower(low: Lowerer, form: ListForm, destination: Destination) -> None:
    inner = _inner(form)
    if inner is None:
        raise BadForm("pub needs a definition: [pub fn …], [pub let …] or [pub type …]")
    low.into(inner, destination)


PUB = SpecialForm(
    entry=Chapter("Modules and tools").form(
        "[pub definition]",
        "Marks what a module hands to those who use it: [pub fn …], [pub let …], [pub type …]. A module "
        "that marks nothing hands out everything.",
        "[pub fn area [w h] [* w h]] [area 5 3]",
        "15",
        "definition: fn, let or type with what follows it",
    ),
    purpose="module",
    walks=_walk,
    infers=_infer,
    owns=Owning(_own),
    lowers=Lowering(lower=_lower),
)
