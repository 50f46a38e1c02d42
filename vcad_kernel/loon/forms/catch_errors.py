"""``catch-errors``: what the checker says of a text (§15.4)."""

from __future__ import annotations

from vcad_kernel.loon.checking.inference.infer import Inference
from vcad_kernel.loon.checking.types.display import worded
from vcad_kernel.loon.checking.types.types import INT, STRING, Con, Record, Type, prune, vector_of
from vcad_kernel.loon.forms.record import NOT_WALKED, OWNS_NOTHING, SpecialForm
from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.lower import Destination, Lowerer, Lowering
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.shapes import BadForm
from vcad_kernel.loon.syntax import ListForm

__all__ = ["CATCH_ERRORS"]


def _infer(inf: Inference, form: ListForm) -> Type:
    """``[catch-errors "source"]``: findings as maps."""
    for item in form.items[1:]:
        term = prune(inf.infer(item))
        if isinstance(term, Con) and term.name != "String":
            inf.report("E0200", f"catch-errors wants String, got {worded(term)}", [(item, worded(term))])
    spans = vector_of(Record({"start": INT, "end": INT, "label": STRING}, None))
    texts = dict.fromkeys(("code", "what", "why", "fix"), STRING)
    return vector_of(Record({**texts, "spans": spans}, None))


def _lower(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[catch-errors "source"]``: what the checker finds in a text."""
    if len(form.items) != 2:
        raise BadForm('catch-errors needs a text: [catch-errors "[+ 1 2]"]')
    at = low.at(form)
    low.put(pyast.call_support("$catch_errors", [low.value(form.items[1])], at), destination, at)


CATCH_ERRORS = SpecialForm(
    entry=Chapter("Modules and tools").form(
        "[catch-errors text]",
        "Checks Loon text without running it and gives what it found: a vector of maps with :code :what "
        ":why :fix :spans, empty when all is well.",
        '[len [catch-errors "[+ 1"]]',
        "1",
        "text: a string",
    ),
    purpose="control",
    walks=NOT_WALKED,
    infers=_infer,
    owns=OWNS_NOTHING,
    lowers=Lowering(lower=_lower),
)
