"""``do``: one thing after the other."""

from __future__ import annotations

from vcad_kernel.loon.checking.inference.infer import Inference
from vcad_kernel.loon.checking.ownership.owners import Owners, Owning
from vcad_kernel.loon.checking.types.types import Type
from vcad_kernel.loon.forms.record import IN_ORDER, SpecialForm
from vcad_kernel.loon.lowering.lower import Destination, Lowerer, Lowering
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.syntax import ListForm

__all__ = ["DO"]


def _infer(inf: Inference, form: ListForm) -> Type:
    """``[do e…]``: the last one."""
    return inf.sequence(form.items[1:])


def _own_returned(owners: Owners, form: ListForm) -> None:
    owners.body(form.items[1:])


def _lower(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[do e…]``: the last value."""
    low.sequence(form.items[1:], destination, low.at(form))


DO = SpecialForm(
    entry=Chapter("Flow").form(
        "[do e …]",
        "Evaluates forms one after the other and gives the last value. It opens no scope: a let inside is "
        "seen after it.",
        "[do [let w 50] [* w 2]]",
        "100",
        "e …: any expressions",
    ),
    purpose="control",
    infers=_infer,
    owns=Owning(IN_ORDER.walk, _own_returned),
    lowers=Lowering(lower=_lower, is_open=True, binds=False, results=lambda operands: operands[-1:]),
)
