"""``inspect``: prints a form with its value and gives the value."""

from __future__ import annotations

from vcad_kernel.loon.forms.record import SpecialForm, infer_operand
from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.lower import Destination, Lowerer, Lowering
from vcad_kernel.loon.printing.printer import printed
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.shapes import BadForm
from vcad_kernel.loon.syntax import ListForm

__all__ = ["INSPECT"]


def _lower(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[inspect e]``: print a form with its value and give the value."""
    if len(form.items) != 2:
        raise BadForm("inspect needs one form: [inspect e]")
    at = low.at(form)
    text = pyast.constant(printed(form.items[1]), at)
    low.put(pyast.call_support("$inspect", [text, low.value(form.items[1])], at), destination, at)


INSPECT = SpecialForm(
    entry=Chapter("Modules and tools").form(
        "[inspect e]",
        "Prints a form with its value and gives the value: to look at what flows through a pipe or a sum.",
        "[+ 1 [inspect [* 2 3]]]",
        "7",
        "e: any expression",
    ),
    purpose="control",
    infers=infer_operand,
    lowers=Lowering(lower=_lower),
)
