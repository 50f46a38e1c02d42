"""``effect``: the operations of an effect, declared for readers and tools (§13)."""

from __future__ import annotations

from collections.abc import Sequence

from vcad_kernel.loon.forms.record import (
    DECLARES_NOTHING,
    OWNS_NOTHING,
    SpecialForm,
    all_names,
    infer_unit,
    lower_to_unit,
    named,
    on_first_line,
)
from vcad_kernel.loon.lowering.lower import Lowering
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.scoping.nodes import SYMBOL, usage_of
from vcad_kernel.loon.scoping.patterns import methods_in, walk_types
from vcad_kernel.loon.scoping.walk import Walk

__all__ = ["EFFECT"]


def _walk(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    if len(items) < 2 or items[1].kind != SYMBOL:
        return
    effect = items[1].text
    walk.define(items[1], "effect", "effect", node, effect)
    for method, held, name in methods_in(items[2:]):
        usage = usage_of(f"{effect}.{name}", *held[2:3])
        walk.define(held[1], "operation", "operation", method, usage, prefix=effect + ".", owner=effect)
        walk_types(walk, held[3:])


EFFECT = SpecialForm(
    entry=Chapter("Effects").form(
        "[effect Name [fn op [a …]] …]",
        "Declares the operations of an effect, for readers and tools. Operations work without it too.",
        "[effect Size [fn get [key]]] [handle [Size.get :w] [Size.get k] [resume 50]]",
        "50",
        "Name: with a capital",
        "[fn op [a …]] …: the operations",
    ),
    purpose="define",
    first_line=on_first_line(2),
    broken=True,
    parted=True,
    holds=all_names,
    walks=_walk,
    expects=named,
    declares=DECLARES_NOTHING,
    lasting=True,
    infers=infer_unit,
    owns=OWNS_NOTHING,
    lowers=Lowering(lower=lower_to_unit, only_defines=True),
)
