"""Forms back to text, on one line with single blanks: what ``macroexpand`` and ``inspect`` show."""

from __future__ import annotations

from vcad_kernel.loon.printing.display import number
from vcad_kernel.loon.syntax import (
    BoolLit,
    FloatLit,
    Form,
    Interpolation,
    IntLit,
    KeywordLit,
    ListForm,
    MapForm,
    Quasi,
    SetForm,
    StringLit,
    Symbol,
    TupleForm,
    Unquote,
    UnquoteSplicing,
    VectorForm,
)

__all__ = ["printed"]


def printed(form: Form) -> str:
    """The text of a form: strings between quotes without escaping, tuples with commas."""
    match form:
        case Symbol(name=text):
            return text
        case IntLit(value=value):
            return str(value)
        case FloatLit(value=value):
            return number(value)
        case BoolLit(value=value):
            return "true" if value else "false"
        case StringLit(value=text):
            return f'"{text}"'
        case KeywordLit(name=text):
            return f":{text}"
        case Interpolation(parts=parts):
            return "[str " + " ".join(map(printed, parts)) + "]"
        case ListForm(items=items):
            return "[" + " ".join(map(printed, items)) + "]"
        case VectorForm(items=items):
            return "#[" + " ".join(map(printed, items)) + "]"
        case SetForm(items=items):
            return "#{" + " ".join(map(printed, items)) + "}"
        case MapForm(items=items):
            return "{" + " ".join(map(printed, items)) + "}"
        case TupleForm(items=items):
            return "(" + ", ".join(map(printed, items)) + ")"
        case Quasi(form=inner):
            return "`" + printed(inner)
        case Unquote(form=inner):
            return "~" + printed(inner)
        case UnquoteSplicing(form=inner):
            return "~@" + printed(inner)
        case _:
            raise AssertionError(form)
