"""``comment``: code that is switched off, and stays laid out and coloured."""

from __future__ import annotations

from vcad_kernel.loon.forms.record import (
    DECLARES_NOTHING,
    NOT_WALKED,
    OWNS_NOTHING,
    SpecialForm,
    all_names,
    infer_unit,
    lower_to_unit,
)
from vcad_kernel.loon.lowering.lower import Lowering
from vcad_kernel.loon.reference import Chapter

__all__ = ["COMMENT"]

COMMENT = SpecialForm(
    entry=Chapter("Modules and tools").form(
        "[comment e …]",
        "Leaves out what it holds: nothing in it is evaluated, checked or expanded, and it is unit. It must "
        "be readable Loon all the same, so it is laid out and coloured as such; behind ; anything may stand.",
        "[comment [fillet 1 [cube 50 30 5]]] 15",
        "15",
        "e …: any forms",
    ),
    purpose="control",
    holds=all_names,
    walks=NOT_WALKED,
    declares=DECLARES_NOTHING,
    infers=infer_unit,
    owns=OWNS_NOTHING,
    lowers=Lowering(lower=lower_to_unit, is_open=True, binds=False, only_defines=True),
)
