"""Forms as Loon values and back, for procedural macros.

A form becomes a map such as ``{:kind :symbol :name "x"}``; kinds without one of their own arrive
as their printed source.
"""

from __future__ import annotations

from vcad_kernel.loon.printing.printer import printed
from vcad_kernel.loon.runtime.collections import Map, Vector
from vcad_kernel.loon.runtime.values import Keyword
from vcad_kernel.loon.syntax import (
    DEEPEST,
    BoolLit,
    Form,
    IntLit,
    KeywordLit,
    ListForm,
    StringLit,
    Symbol,
    VectorForm,
)

__all__ = ["NotSyntaxError", "form_of", "value_of"]

_KIND, _NAME, _VALUE, _ITEMS = (Keyword(name) for name in ("kind", "name", "value", "items"))


class NotSyntaxError(Exception):
    """A value that is no code."""


def value_of(form: Form) -> Map:
    """The syntax value of a form."""
    match form:
        case Symbol(name=name):
            return Map([(_KIND, Keyword("symbol")), (_NAME, name)])
        case IntLit(value=number):
            return Map([(_KIND, Keyword("int")), (_VALUE, number)])
        case StringLit(value=text):
            return Map([(_KIND, Keyword("str")), (_VALUE, text)])
        case BoolLit(value=truth):
            return Map([(_KIND, Keyword("bool")), (_VALUE, truth)])
        case KeywordLit(name=name):
            return Map([(_KIND, Keyword("keyword")), (_VALUE, name)])
        case ListForm(items=items):
            return Map([(_KIND, Keyword("list")), (_ITEMS, Vector([value_of(item) for item in items]))])
        case VectorForm(items=items):
            return Map([(_KIND, Keyword("vec")), (_ITEMS, Vector([value_of(item) for item in items]))])
        case _:
            return Map([(_KIND, Keyword("str")), (_VALUE, printed(form))])


def form_of(value: object, start: int, end: int, level: int = 0) -> Form:
    """The form that a syntax value, or a bare int, string, bool or keyword, stands for.

    level: how many lists and vectors it lies in.
    Raises: NotSyntaxError, also when they lie more than DEEPEST deep in each other.
    """
    if level > DEEPEST:
        raise NotSyntaxError
    if isinstance(value, Map):
        return _from_map(value, start, end, level)
    if isinstance(value, bool):
        return BoolLit(start, end, value)
    if isinstance(value, int):
        return IntLit(start, end, value)
    if isinstance(value, str):
        return StringLit(start, end, value)
    if isinstance(value, Keyword):
        return KeywordLit(start, end, value.name)
    raise NotSyntaxError


def _from_map(value: Map, start: int, end: int, level: int) -> Form:
    kind = value.get(_KIND)
    items, held, name = value.get(_ITEMS), value.get(_VALUE), value.get(_NAME)
    if kind is Keyword("symbol") and isinstance(name, str) and name:
        return Symbol(start, end, name)
    if kind is Keyword("keyword"):
        if isinstance(held, Keyword):
            held = held.name
        if isinstance(held, str):
            return KeywordLit(start, end, held)
    if isinstance(kind, Keyword) and kind.name in ("int", "str", "bool") and type(held) in (int, str, bool):
        return form_of(held, start, end)
    if isinstance(kind, Keyword) and kind.name in ("list", "vec") and isinstance(items, Vector):
        forms = tuple([form_of(item, start, end, level + 1) for item in items])
        return ListForm(start, end, forms) if kind.name == "list" else VectorForm(start, end, forms)
    raise NotSyntaxError
