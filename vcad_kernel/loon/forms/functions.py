"""How parameters stand in ``fn``, ``test`` and ``macro``: for macros, the formatter and the cursor."""

from __future__ import annotations

from collections.abc import Sequence

from vcad_kernel.loon.concrete import Node
from vcad_kernel.loon.forms.record import Part
from vcad_kernel.loon.layout import Item
from vcad_kernel.loon.scoping.nodes import LIST, SYMBOL
from vcad_kernel.loon.syntax import Form, ListForm, TupleForm

__all__ = ["after_parameters", "binds_parameters", "holds_parameters"]


def holds_parameters(items: Sequence[Form]) -> Sequence[Part]:
    """Where parameters stand: after the head and a name, or in each clause."""
    places: list[Part] = ["code"] * len(items)
    for at, item in enumerate(items[1:], 1):
        if isinstance(item, TupleForm):
            places[at] = "clause"
        elif isinstance(item, ListForm):
            if places[at - 1] != "clause":
                places[at] = "pattern"
            break
    return places


def after_parameters(items: Sequence[Item]) -> int:
    """Past the head, a function's name, its parameters and its effects."""
    at = 1
    while at < len(items) and items[at].word:
        at += 1
    if at < len(items) and items[at].kind == "list":
        at += 1
        if at < len(items) and items[at].kind == "set":
            at += 1
    return at


def binds_parameters(items: Sequence[Node], child: Node) -> bool:
    """Whether a part holds the parameters: the first that is no name."""
    first = next((one for one in items[1:] if one.kind != SYMBOL), None)
    return first is child and child.kind == LIST
