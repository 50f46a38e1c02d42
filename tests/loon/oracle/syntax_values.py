"""Code as values and back, for procedural macros (§12)."""

from __future__ import annotations

from tests.loon.oracle.values import Fault, Keyword, MapValue, Value, Vec
from vcad_kernel.loon.printing.printer import printed
from vcad_kernel.loon.syntax import (
    BoolLit,
    Form,
    IntLit,
    KeywordLit,
    ListForm,
    StringLit,
    Symbol,
    VectorForm,
)

__all__ = ["form_of", "value_of"]


def value_of(form: Form) -> Value:
    """The syntax value of a form."""
    match form:
        case Symbol(name=name):
            return _tagged("symbol", "name", name)
        case IntLit(value=value):
            return _tagged("int", "value", value)
        case BoolLit(value=value):
            return _tagged("bool", "value", value)
        case StringLit(value=value):
            return _tagged("str", "value", value)
        case KeywordLit(name=name):
            return _tagged("keyword", "value", name)
        case ListForm(items=items):
            return _tagged("list", "items", Vec([value_of(item) for item in items]))
        case VectorForm(items=items):
            return _tagged("vec", "items", Vec([value_of(item) for item in items]))
        case _:
            return _tagged("str", "value", printed(form))


def _tagged(kind: str, key: str, value: Value) -> MapValue:
    return MapValue([(Keyword("kind"), Keyword(kind)), (Keyword(key), value)])


def form_of(value: Value) -> Form:
    """The form that a macro's result stands for; it stands at no place."""
    if isinstance(value, bool):
        return BoolLit(0, 0, value)
    if isinstance(value, int):
        return IntLit(0, 0, value)
    if isinstance(value, str):
        return StringLit(0, 0, value)
    if isinstance(value, Keyword):
        return KeywordLit(0, 0, value.name)
    if not isinstance(value, MapValue):
        raise Fault("macro")
    kind, name, held, items = (_part(value, key) for key in ("kind", "name", "value", "items"))
    match kind.name if isinstance(kind, Keyword) else None:
        case "symbol" if isinstance(name, str):
            return Symbol(0, 0, name)
        case "list" if isinstance(items, Vec):
            return ListForm(0, 0, tuple(map(form_of, items.items)))
        case "vec" if isinstance(items, Vec):
            return VectorForm(0, 0, tuple(map(form_of, items.items)))
        case "keyword" if isinstance(held, str):
            return KeywordLit(0, 0, held)
        case "int" | "str" | "bool" if isinstance(held, int | str):
            return form_of(held)
    raise Fault("macro")


def _part(value: MapValue, key: str) -> Value:
    found = value.find(Keyword(key))
    return None if found is None else found[0]
