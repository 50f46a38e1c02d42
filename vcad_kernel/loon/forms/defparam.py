"""``defparam``: named values of a program that its user may set.

    [defparam width 40.0 {:unit "mm" :min 10 :max 80}]

At the top of a text this binds ``width`` to what the host makes of it: `Declare` gets the name, the
default and the options and gives the value. Where there is no host to ask it is the default. What
options there are, and which values are allowed, is the host's business.

A declaration becomes a ``let`` before anything is compiled or checked, so that all that knows
variables knows parameters: ``[let width [defparam $width 40.0 …]]``. No text can hold a symbol that
begins with ``$``, so the inner form is this module's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from vcad_kernel.errors import LoonError
from vcad_kernel.loon.checking.inference.infer import Inference
from vcad_kernel.loon.checking.ownership.owners import Owners, Owning
from vcad_kernel.loon.checking.types.display import worded
from vcad_kernel.loon.checking.types.types import (
    FLOAT,
    INT,
    NUMBERS,
    WRITTEN_WHOLE,
    Con,
    Fn,
    Record,
    Type,
    prune,
)
from vcad_kernel.loon.forms.record import Part, SpecialForm, named, on_first_line
from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.lower import Destination, Lowerer, Lowering
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Chapter, Key
from vcad_kernel.loon.runtime.collections import Map
from vcad_kernel.loon.runtime.faults import fault
from vcad_kernel.loon.runtime.values import Keyword
from vcad_kernel.loon.scoping.nodes import SYMBOL
from vcad_kernel.loon.scoping.walk import Walk
from vcad_kernel.loon.shapes import BadForm
from vcad_kernel.loon.syntax import BoolLit, Form, IntLit, KeywordLit, ListForm, MapForm, Symbol

__all__ = ["DECLARE", "DEFPARAM", "WHOLE", "Declare", "Parameters", "default_of"]

Declare: TypeAlias = Callable[[str, object, object], object]
"""From a parameter's name, default and options, which are a map, to its value."""

DECLARE: Final = "$defparam"
"""The global that compiled code calls to declare a parameter."""

_HEAD: Final = Symbol(0, 0, "defparam")
_PUB: Final = Symbol(0, 0, "pub")
_USAGE: Final = "defparam needs a name and a value: [defparam width 40.0] or [defparam width 40.0 {:min 10}]"


WHOLE: Final = "whole"
"""The option that makes a parameter a whole number, such as a count: without it it is a float."""


def default_of(_name: str, default: object, options: object) -> object:
    """The value of a parameter that is not set."""
    if type(default) is int and not (isinstance(options, Map) and options.get(Keyword(WHOLE), False)):
        return float(default)
    return default


def _declared_name(form: ListForm) -> str | None:
    """The name in the inner form of a declaration; None for a ``defparam`` as texts have it."""
    head, *operands = form.items
    match operands:
        case [Symbol(name=name), _, _] if head == _HEAD and name.startswith("$"):
            return name[1:]
    return None


class Parameters:
    """The declarations of one text, in the order in which they go by."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def bound(self, form: Form) -> Form:
        """A form of the top, a declaration made a binding.

        Raises: LoonError of class bad-form.
        """
        if not isinstance(form, ListForm):
            return form
        if form.items[:1] == (_PUB,):  # [pub [defparam w 4]] as well as [pub defparam w 4]
            inner = form.items[1] if len(form.items) == 2 else replace(form, items=form.items[1:])
            bound = self.bound(inner)
            return form if bound is inner else replace(form, items=(_PUB, bound))
        if form.items[:1] != (_HEAD,):
            return form
        name, value = self._read(form, form.items)
        return replace(form, items=(Symbol(form.start, form.start, "let"), name, value))

    def _read(self, form: ListForm, items: Sequence[Form]) -> tuple[Symbol, ListForm]:
        if not 3 <= len(items) <= 4 or not isinstance(items[1], Symbol) or items[1].name == "_":
            raise _bad(_USAGE)
        name, default = items[1], items[2]
        if name.name in self._names:
            raise _bad(
                f"the parameter {name.name} is declared twice in this text",
                "a parameter has one default and one range",
            )
        self._names.add(name.name)
        options = items[3] if len(items) == 4 else MapForm(form.end, form.end, ())
        inner = Symbol(name.start, name.end, f"${name.name}")
        head = Symbol(items[0].start, items[0].end, _HEAD.name)
        return name, ListForm(form.start, form.end, (head, inner, default, options))


def _bad(message: str, why: str | None = None) -> LoonError:
    return fault("bad-form", message, why=why)


def _holds(items: Sequence[Form]) -> Sequence[Part]:
    return ["name" if at == 1 else "code" for at in range(len(items))]


def _walk(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    walk.sequence(items[2:])
    if len(items) > 1 and items[1].kind == SYMBOL:
        walk.define(items[1], "value", "variable", node, items[1].text)


def _infer(inf: Inference, form: ListForm) -> Type:
    """The value of a parameter: a float, or an int where the options say that it is whole."""
    if _declared_name(form) is None:
        return inf.fresh()
    _, _, default, options = form.items
    term = prune(inf.infer(default))
    if isinstance(term, Con | Fn | Record) and not (isinstance(term, Con) and term.name in NUMBERS):
        shown = worded(term)
        inf.report("E0200", f"the default of a parameter is a number, not {shown}", [(default, shown)])
    inf.infer(options)
    is_whole = _is_whole(options)
    if is_whole is None:
        return inf.fresh()
    if is_whole:
        return INT
    return WRITTEN_WHOLE if isinstance(default, IntLit) else FLOAT


def _is_whole(options: Form) -> bool | None:
    """Whether the options say that a parameter is whole; None where that shows only when the program runs."""
    if not isinstance(options, MapForm):
        return None
    for key, value in zip(options.items[::2], options.items[1::2], strict=True):
        if isinstance(key, KeywordLit) and key.name == WHOLE:
            return value.value if isinstance(value, BoolLit) else None
    return False


def _own(owners: Owners, form: ListForm) -> None:
    owners.each(form.items[2:])


def _lower(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """The value of a parameter; the binding around it is a ``let``."""
    name = _declared_name(form)
    if name is None:
        raise BadForm("defparam stands at the top of a text, not inside another form")
    at = low.at(form)
    given = low.operands(form.items[2:])
    low.put(pyast.call_support(DECLARE, [pyast.constant(name, at), *given], at), destination, at)


_ENTRY: Final = replace(
    Chapter("Definitions").form(
        "[defparam name default {options}]",
        "Binds a name to a number that whoever runs the program may set: a slider in a notebook, -p on the "
        "command line. It is a float, however its default is written; with {:whole true} it is a whole "
        "number, for what counts. The other options are :unit and :doc, texts for people, and the numbers "
        ":min, :max and :step; a value beyond :min or :max is an error. It stands at the top of a program or "
        "cell. In a module that another text uses, it is the default.",
        '[defparam width 40.0 {:unit "mm" :min 10 :max 80}] [* width 2.0]',
        "80",
        "name: a symbol",
        "default: a number",
        "options: a map, which may be left out",
    ),
    keys={
        "{options}": (
            Key(":unit", "a text; what stands behind the number"),
            Key(":doc", "a text; what the parameter is"),
            Key(":min", "a number; the least"),
            Key(":max", "a number; the largest"),
            Key(":step", "a number; how far a slider's stops lie apart"),
            Key(":whole", "true or false; whether it takes whole numbers only, as counts are"),
        )
    },
)

DEFPARAM = SpecialForm(
    entry=_ENTRY,
    purpose="define",
    first_line=on_first_line(3),
    holds=_holds,
    walks=_walk,
    expects=named,
    infers=_infer,
    owns=Owning(_own),
    lowers=Lowering(lower=_lower),
)
