"""``macro``, ``macro+`` and ``macroexpand`` (§12), as far as they are forms.

At the top of a text ``loon/macros.py`` takes them out before anything is compiled; anywhere else they mean
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from vcad_kernel.loon.forms.fn import after_parameters, binds_parameters
from vcad_kernel.loon.forms.record import (
    DECLARES_NOTHING,
    OWNS_NOTHING,
    SpecialForm,
    all_names,
    infer_unit,
    lower_to_unit,
    named,
)
from vcad_kernel.loon.lowering.lower import Lowering
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.scoping.nodes import SYMBOL, usage_of
from vcad_kernel.loon.scoping.patterns import walk_clauses
from vcad_kernel.loon.scoping.walk import Walk

__all__ = ["MACRO", "MACROEXPAND", "MACRO_PLUS"]


def _walk(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    if len(items) < 2 or items[1].kind != SYMBOL:
        return
    usage = usage_of(items[1].text, items[2] if len(items) > 2 else None)
    walk.define(items[1], "value", "macro", node, usage)
    walk_clauses(walk, node, items[2:], "template")


MACRO = SpecialForm(
    entry=Chapter("Macros").form(
        "[macro name [a …] `template]",
        "Defines a form of your own, for all forms after it. The template, behind a backquote, replaces each "
        "call; ~a puts in an argument as it was written, ~@rest all arguments of a rest parameter. Only at "
        "the top of a program or cell.",
        "[macro doubled [x] `[* 2 ~x]] [doubled 21]",
        "42",
        "name: the new form",
        "a …: names for its arguments; & rest last takes all that are left",
        "template: what a call turns into",
    ),
    purpose="define",
    first_line=after_parameters,
    holds=all_names,
    walks=_walk,
    expects=named,
    binds_in=binds_parameters,
    declares=DECLARES_NOTHING,
    infers=infer_unit,
    owns=OWNS_NOTHING,
    lowers=Lowering(lower=lower_to_unit),
)


MACRO_PLUS = SpecialForm(
    entry=Chapter("Macros").form(
        "[macro+ name [a …] body]",
        "Reserved for macros that see types; it does nothing here. Use macro.",
        "[macro+ m [a] a] 1",
        "1",
    ),
    purpose="define",
    walks=_walk,
    declares=DECLARES_NOTHING,
    infers=infer_unit,
    owns=OWNS_NOTHING,
    lowers=Lowering(lower=lower_to_unit),
)


MACROEXPAND = SpecialForm(
    entry=Chapter("Macros").form(
        "[macroexpand e]",
        "What a form turns into once its macros are expanded, as a string. Only at the top of a program or "
        "cell.",
        "[macro twice [x] `[* 2 ~x]] [macroexpand [twice 5]]",
        '"[* 2 5]"',
        "e: any form",
    ),
    purpose="control",
    declares=DECLARES_NOTHING,
    infers=infer_unit,
    owns=OWNS_NOTHING,
    lowers=Lowering(lower=lower_to_unit),
)
