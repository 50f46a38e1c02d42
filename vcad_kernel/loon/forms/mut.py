"""``mut``: its operand; the mark is for readers."""

from __future__ import annotations

from vcad_kernel.loon.forms.record import SpecialForm, infer_operand
from vcad_kernel.loon.lowering.lower import Destination, Lowerer, Lowering
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.shapes import BadForm
from vcad_kernel.loon.syntax import ListForm

__all__ = ["MUT"]


def _lower(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[mut e]``: the value; the mark is the ownership checker's."""
    if len(form.items) != 2:
        raise BadForm("mut needs one form: [mut e]")
    low.into(form.items[1], destination)


MUT = SpecialForm(
    entry=Chapter("Definitions").form(
        "[mut e]",
        "The value of e. Marks it for readers as something that is changed on the way.",
        "[mut #[1 2]]",
        "#[1 2]",
        "e: any expression",
    ),
    purpose="declare",
    infers=infer_operand,
    lowers=Lowering(lower=_lower, is_open=True, binds=False, results=lambda operands: operands[-1:]),
)
