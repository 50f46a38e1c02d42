"""``defparam``: a number that whoever runs the program may set.

What it becomes before anything is compiled is said by ``loon/parameters.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

from vcad_kernel.loon.checking.display import worded
from vcad_kernel.loon.checking.infer import Inference
from vcad_kernel.loon.checking.owners import Owners, Owning
from vcad_kernel.loon.checking.types import NUMBERS, Con, Fn, Record, Type, prune
from vcad_kernel.loon.concrete import Node
from vcad_kernel.loon.forms.record import Part, SpecialForm, named, on_first_line
from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.lower import Destination, Lowerer, Lowering
from vcad_kernel.loon.parameters import DECLARE, declared_name
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.scoping.nodes import SYMBOL
from vcad_kernel.loon.scoping.walk import Walk
from vcad_kernel.loon.shapes import BadForm
from vcad_kernel.loon.syntax import Form, ListForm

__all__ = ["DEFPARAM"]


def _holds(items: Sequence[Form]) -> Sequence[Part]:
    return ["name" if at == 1 else "code" for at in range(len(items))]


def _walk(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    walk.sequence(items[2:])
    if len(items) > 1 and items[1].kind == SYMBOL:
        walk.define(items[1], "value", "variable", node, items[1].text)


def _infer(inf: Inference, form: ListForm) -> Type:
    """The value of a parameter, which is of its default's type."""
    if declared_name(form) is None:
        return inf.fresh()
    _, _, default, options = form.items
    term = prune(inf.infer(default))
    if isinstance(term, Con | Fn | Record) and not (isinstance(term, Con) and term.name in NUMBERS):
        shown = worded(term)
        inf.report("E0200", f"the default of a parameter is a number, not {shown}", [(default, shown)])
    inf.infer(options)
    return term


def _own(owners: Owners, form: ListForm) -> None:
    owners.each(form.items[2:])


def _lower(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """The value of a parameter; the binding around it is a ``let``."""
    name = declared_name(form)
    if name is None:
        raise BadForm("defparam stands at the top of a text, not inside another form")
    at = low.at(form)
    given = low.operands(form.items[2:])
    low.put(pyast.call_support(DECLARE, [pyast.constant(name, at), *given], at), destination, at)


DEFPARAM = SpecialForm(
    entry=Chapter("Definitions").form(
        "[defparam name default {options}]",
        "Binds a name to a number that whoever runs the program may set: a slider in a notebook, -p on the "
        "command line. The options are :unit and :doc, texts for people, and the numbers :min, :max and "
        ":step; a value beyond :min or :max is an error. It stands at the top of a program or cell. In a "
        "module that another text uses, it is the default.",
        '[defparam width 40.0 {:unit "mm" :min 10 :max 80}] [* width 2.0]',
        "80",
        "name: a symbol",
        "default: a number; a whole one takes whole numbers only",
        "options: a map, which may be left out",
    ),
    purpose="define",
    first_line=on_first_line(3),
    holds=_holds,
    walks=_walk,
    expects=named,
    infers=_infer,
    owns=Owning(_own),
    lowers=Lowering(lower=_lower),
)
