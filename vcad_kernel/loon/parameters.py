"""``defparam``: named values of a program that whoever runs it may set.

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
from vcad_kernel.loon.runtime.faults import fault
from vcad_kernel.loon.syntax import Form, ListForm, MapForm, Symbol

__all__ = ["DECLARE", "Declare", "Parameters", "declared_name", "default_of"]

Declare: TypeAlias = Callable[[str, object, object], object]
"""From a parameter's name, default and options, which are a map, to its value."""

DECLARE: Final = "$defparam"
"""The global that compiled code calls to declare a parameter."""

_HEAD: Final = Symbol(0, 0, "defparam")
_PUB: Final = Symbol(0, 0, "pub")
_USAGE: Final = "defparam needs a name and a value: [defparam width 40.0] or [defparam width 40.0 {:min 10}]"


def default_of(_name: str, default: object, _options: object) -> object:
    """The value of a parameter that nobody sets."""
    return default


def declared_name(form: ListForm) -> str | None:
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
